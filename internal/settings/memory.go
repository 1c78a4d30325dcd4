package settings

// enough is the memory, in bytes, that suffices for the default limits: see doctor.MemoryNeeded.
const enough = 1 << 30

// leastConnections keeps a gateway usable in the smallest container.
const leastConnections = 100

// Fit lowers the defaults of limits_memory, limits_connections and live_streams in proportion if the process may use less memory
// than they can need; 0 is no limit. Limits that were set are kept. Connections and streams depend on each other, so both are kept
// if one was set.
func (s *Settings) Fit(memory int64) {
	if memory <= 0 || memory >= enough {
		return
	}
	part := func(n int64) int64 { return n * memory / enough }
	if !s.given["limits_memory"] {
		s.Memory = max(part(s.Memory), 1<<20)
	}
	if !s.given["limits_connections"] && !s.given["live_streams"] {
		s.Connections = max(int(part(int64(s.Connections))), leastConnections)
		s.Streams.Streams = min(s.Streams.Streams, s.Connections*4/5)
	}
}
