// Package memory paces the garbage collector for a process with a small live heap and much garbage. A gateway's live
// heap is a few megabytes; each page leaves some hundred kilobytes of garbage. With Go's default the collector would
// run at twice the live heap, which is every few pages. The package reads the memory limit of the process's container.
// It does not limit what the process keeps.
//
// Read first: Pace.
package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Floor is the memory, in bytes, below which no collection runs. Measured on pages of 100 deposits: with 64 to 128 MiB
// the gateway takes the same CPU time, a third less than with the default; with less, collections cost more than the
// memory that they save.
const Floor = 88 << 20

// The bounds of the memory at which a collection runs, if the live heap is close to the floor or above it: growth times
// the live heap, but at most headroom more than it, and the memory that is not heap, such as the stacks of 10,000
// streams. Without them, a process with a heap close to the floor would collect all the time. A large heap is the data
// of requests and of streams, which have their own limits.
const growth = 3

// The headroom is minHeadroom, so that a process at rest stays small. If the time between collections has been below
// busyInterval for longer than busyAfter, each further one adds headroomStep if the live heap is at least largeHeap:
// marking that often costs more than the memory that it saves. A shorter burst gets no headroom: its garbage would only
// scatter what is kept.
const (
	minHeadroom  = 24 << 20
	maxHeadroom  = 96 << 20
	headroomStep = 6 << 20
	largeHeap    = 40 << 20
	busyInterval = 8 * time.Second
	busyAfter    = 30 * time.Second
)

// Pace makes the collector run when the process's memory reaches the floor, or the limit for the live heap if that is
// higher. container is the memory that the process may use, in bytes; 0 for no limit. It returns memory to the system
// when the process is idle. It affects the whole process and cannot be undone.
func Pace(floor, container int64) {
	p := paceIn(floor, container)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(p.floor)
	p.watch(collected(), func(limit int64) { debug.SetMemoryLimit(limit) })
	go release(time.Tick(idleAfter))
}

// pace is the minimum and the maximum of the memory at which a collection starts.
type pace struct{ floor, max int64 }

// paceIn returns the pace in a container. A fifth of its memory is for what Go does not count: the kernel's buffers of
// connections, and the pages of the binary. If the live heap needs more than the rest, the collector takes at most half
// of the processor time.
func paceIn(floor, container int64) pace {
	if container == 0 {
		return pace{floor, math.MaxInt64}
	}
	return pace{min(floor, container/2), container - container/5}
}

// limit returns the memory at which the next collection starts. live is the live heap, and rest the memory that is not
// heap.
func (p pace) limit(live, rest, headroom int64) int64 {
	return min(p.max, max(p.floor, min(growth*live, live+headroom)+rest))
}

// collection is a collection of the garbage, as seen at its end.
type collection struct {
	at        time.Time
	automatic int64     // collections until then that nothing forced
	busySince time.Time // since when each has followed within busyInterval
	headroom  int64     // until the next one
	live      int64     // bytes that were in use
}

// after sets what depends on the collection before.
func (c collection) after(last collection) collection {
	switch since := c.at.Sub(last.at); {
	case c.automatic == last.automatic, since >= idleAfter: // release forced it, because the process is idle
		c.busySince, c.headroom = c.at, minHeadroom
	case since >= busyInterval:
		c.busySince, c.headroom = c.at, last.headroom
	case c.at.Sub(last.busySince) < busyAfter, min(c.live, last.live) < largeHeap:
		c.busySince, c.headroom = last.busySince, last.headroom
	default:
		c.busySince, c.headroom = last.busySince, min(last.headroom+headroomStep, maxHeadroom)
	}
	return c
}

// watch calls set with the limit after each collection. It is notified by the finalizer of an unreachable object. The
// smaller live heap of two collections counts: a busy process has at times many times its usual heap in flight, and the
// limit for that would be its peak.
func (p pace) watch(last collection, set func(limit int64)) {
	type mark struct{ _ [16]byte }
	runtime.SetFinalizer(&mark{}, func(*mark) {
		now := collected().after(last)
		heap := read("/memory/classes/heap/objects:bytes") + read("/memory/classes/heap/unused:bytes") + read("/memory/classes/heap/free:bytes")
		limit := p.limit(min(now.live, last.live), held()-heap, now.headroom)
		p.watch(now, set)
		set(limit)
	})
}

// collected returns the last collection.
func collected() collection {
	now := time.Now()
	return collection{
		at: now, automatic: read("/gc/cycles/automatic:gc-cycles"), busySince: now,
		headroom: minHeadroom, live: read("/gc/heap/live:bytes"),
	}
}

const (
	// idleAfter is the time without a collection after which a process counts as idle. A busy process collects several
	// times a second.
	idleAfter = 15 * time.Second
	// idleSize is the memory that an idle process may keep, in bytes. A process that has just started has about half of
	// that.
	idleSize = 48 << 20
	// ticksToRelease is the number of idle ticks until the next release after one that returned less than a third. The
	// process holds its memory for a reason, such as thousands of streams, and each release takes two collections.
	ticksToRelease = 16
)

// release returns memory to the system when no collection ran between two ticks. Without an explicit release Go would
// keep the memory of a burst of requests until the next burst.
func release(ticks <-chan time.Time) {
	before, wait := int64(-1), 0
	for range ticks {
		collections, size := read("/gc/cycles/total:gc-cycles"), held()
		if wait--; collections == before && size > idleSize && wait < 0 {
			runtime.GC() // the call below is the second collection: a sync.Pool is emptied in two
			debug.FreeOSMemory()
			if collections = read("/gc/cycles/total:gc-cycles"); held() > size-size/3 {
				wait = ticksToRelease
			}
		}
		before = collections
	}
}

// held returns the memory that the process has from the system.
func held() int64 {
	return read("/memory/classes/total:bytes") - read("/memory/classes/heap/released:bytes")
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
