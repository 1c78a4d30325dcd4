package settings

import "pixgraph/upstream/live"

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

// A stream has a connection, and queries need some too. So of every five connections, four may be streams.
const (
	defaultMemory      = 192 << 20 // of limits_memory, with live.DefaultStreams
	defaultConnections = live.DefaultStreams * 5 / 4
	minConnections     = 16
)

// operationsPerCall is how many operations run for each call that an API may have: as many as calls wait in its queue.
// With more of them than that, calls would be rejected.
const operationsPerCall = 4

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

// Fit lowers the default of limits_memory if the process may use less memory than the defaults can need, and derives
// how many connections and streams there may be: in proportion to limits_memory, but not more than fit into the memory
// and the files that the process may open. 0 is no limit.
func (s *Settings) Fit(memory int64, files int) {
	part := s.fitting(memory)
	if s.given["limits_memory"] {
		part *= float64(s.Memory) / defaultMemory
	} else {
		s.Memory = int64(part*defaultMemory) >> 20 << 20
	}
	s.Connections = min(int(part*defaultConnections), maxCount)
	if missing := s.FilesNeeded() - files; files > 0 && missing > 0 {
		s.Connections -= missing
	}
	s.Connections = max(s.Connections, minConnections)
	s.Streams.Streams = s.Connections * 4 / 5
	s.Streams.StreamsPerCaller = min(max(int(part*live.DefaultStreamsPerCaller), 1), s.Streams.Streams)
}

// fitting returns the part of the default limits that fits into so much memory.
func (s *Settings) fitting(memory int64) float64 {
	full := int64(fullMemory)
	if s.TLS.Cert.Path != "" {
		full = fullMemoryTLS
	}
	if memory <= 0 || memory >= full {
		return 1
	}
	return max(float64(memory-ownMemory)/float64(full-ownMemory), minPart)
}
