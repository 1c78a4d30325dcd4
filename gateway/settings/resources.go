package settings

// What a gateway holds at most, in bytes, without what depends on its limits.
const (
	// ownMemory is that of a gateway without requests and streams: its caches when they are full, and 24 MiB for the
	// process.
	ownMemory = 80 << 20
	// streamMemory is that of a stream on average, with the kernel's part of its connection.
	streamMemory = 16 << 10
	// streamMemoryTLS is the same with TLS: a browser has a connection of HTTP/2, often with one stream.
	streamMemoryTLS = 80 << 10
)

const (
	// fullMemory is the memory from which on the default limits apply, in bytes: what they need, and some for the
	// kernel.
	fullMemory, fullMemoryTLS = 768 << 20, 2 << 30
	// minPart is the part of the default limits that a gateway has in the smallest container.
	minPart = 1. / 64
)

// minConnections is the lowest default of limits_connections.
const minConnections = 16

// otherFiles are the files of a gateway that are not connections of clients or to APIs: its log, listeners, the admin
// address, issuers.
const otherFiles = 64

// FilesNeeded returns the number of files that a gateway opens at most: a connection is one.
func (s Settings) FilesNeeded() int { return s.Connections + 2*s.Client.Concurrency + otherFiles }

// MemoryNeeded returns the memory that a gateway needs at most, in bytes: what its caches, streams and requests may
// hold, and the garbage of requests, which is up to half of what they hold.
func (s Settings) MemoryNeeded() int64 {
	needed := ownMemory + s.Memory + s.Memory/2
	switch {
	case s.Live && s.TLS.Cert.Path != "":
		needed += int64(s.Streams.Streams) * streamMemoryTLS
	case s.Live:
		needed += int64(s.Streams.Streams) * streamMemory
	}
	return needed
}

// Fit lowers the defaults of limits_memory, limits_connections and live_streams if the process may use less memory, or
// open fewer files, than they can need; 0 is no limit. Limits that were set are kept. Connections and streams depend on
// each other, so both are kept if one was set.
func (s *Settings) Fit(memory int64, files int) {
	s.fitMemory(memory)
	if missing := s.FilesNeeded() - files; files > 0 && missing > 0 && !s.given["limits_connections"] && !s.given["live_streams"] {
		fitting := max(s.Connections-missing, minConnections)
		s.Streams.Streams = s.Streams.Streams * fitting / s.Connections
		s.Connections = fitting
	}
}

// fitMemory lowers the defaults in proportion.
func (s *Settings) fitMemory(memory int64) {
	full := int64(fullMemory)
	if s.TLS.Cert.Path != "" {
		full = fullMemoryTLS
	}
	if memory <= 0 || memory >= full {
		return
	}
	part := max(float64(memory-ownMemory)/float64(full-ownMemory), minPart)
	if !s.given["limits_memory"] {
		s.Memory = int64(part*float64(s.Memory)) >> 20 << 20
	}
	if !s.given["limits_connections"] && !s.given["live_streams"] {
		s.Connections, s.Streams.Streams = int(part*float64(s.Connections)), int(part*float64(s.Streams.Streams))
	}
}
