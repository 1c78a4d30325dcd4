package doctor

import (
	"fmt"

	"pixgraph/internal/settings"
)

const (
	// ownMemory is the memory of a gateway without requests and streams, in bytes: its caches when they are full, and 24 MiB for the
	// process.
	ownMemory = 80 << 20
	// streamMemory is the memory that a stream may hold on average, with its share of the kernel's buffers, in bytes.
	streamMemory = 16 << 10
)

// MemoryNeeded returns the memory that a gateway needs at most, in bytes: what its caches, streams and requests may hold, and the
// garbage of requests, which is up to half of what they hold.
func MemoryNeeded(s settings.Settings) int64 {
	needed := ownMemory + s.Memory + s.Memory/2
	if s.Live {
		needed += int64(s.Streams.Streams) * streamMemory
	}
	return needed
}

// memory compares the memory limit of the container with the memory that the settings allow.
func (e *examination) memory() {
	const what, mebi = "memory", 1 << 20
	needed := MemoryNeeded(e.Settings)
	limit := "no container limits it"
	if e.Memory > 0 {
		limit = fmt.Sprintf("the limit of the container is %d MiB", e.Memory/mebi)
	}
	detail := fmt.Sprintf("%s, and limits_memory and live_streams need %d MiB", limit, needed/mebi)
	if e.Memory > 0 && e.Memory < needed {
		e.report.add(what, Warn, detail, "raise the limit where the gateway runs, or lower limits_memory and live_streams")
		return
	}
	e.report.add(what, OK, detail, "")
}
