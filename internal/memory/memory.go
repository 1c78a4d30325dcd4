// Package memory paces the garbage collector for a process that keeps little and throws away much: a gateway's live heap
// is a few megabytes, its garbage some hundred kilobytes for each page. By Go's default it would collect at twice the live
// heap, which is every few pages. It is not a limit on what the process may use.
//
// Read first: Pace.
package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Floor is the memory, in bytes, up to which nothing is collected. Measured on pages of 100 deposits: 64 to 128 MiB take
// the same CPU, a third less than the default; below that collections cost more than they are worth.
const Floor = 96 << 20

// How much larger than the live heap the memory may get before a collection, where that is more than the floor: a few times
// a small heap, since without that a process whose heap came near the floor would do nothing but collect, and a fixed size
// more than a large one, which then holds what requests hold, and is bounded itself.
const (
	growth   = 3
	headroom = 48 << 20
)

// Pace has the collector run when the process's memory reaches a floor, or the live heap and what it may grow by where that
// is more, and returns memory to the system when the process is idle. It is for the whole process, and for good.
func Pace(floor int64) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(floor)
	watch(floor)
	go release(time.Tick(idleAfter))
}

// limit is the memory at which to collect next.
func limit(floor, live int64) int64 { return max(floor, min(growth*live, live+headroom)) }

// watch sets the limit after each collection, which ends the life of a mark that nobody holds.
func watch(floor int64) {
	type mark struct{ _ [16]byte }
	runtime.SetFinalizer(&mark{}, func(*mark) {
		debug.SetMemoryLimit(limit(floor, read("/gc/heap/live:bytes")))
		watch(floor)
	})
}

const (
	// idleAfter is the time without a collection after which a process is idle. A busy one collects several times a second.
	idleAfter = 15 * time.Second
	// idleSize is the memory that an idle process may keep, in bytes: it has about half of that when it has just started.
	idleSize = 48 << 20
)

// release returns memory to the system whenever there was no collection between two ticks: without a limit of its own Go
// would keep what a burst of requests took for as long as no other one comes.
func release(ticks <-chan time.Time) {
	before := int64(-1)
	for range ticks {
		collections := read("/gc/cycles/total:gc-cycles")
		if collections == before && read("/memory/classes/total:bytes")-read("/memory/classes/heap/released:bytes") > idleSize {
			runtime.GC() // twice, with the one below: pools give up what they have in two steps
			debug.FreeOSMemory()
			collections = read("/gc/cycles/total:gc-cycles")
		}
		before = collections
	}
}

// read reads one number of package runtime/metrics.
func read(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}
