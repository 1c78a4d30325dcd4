package memory

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestPace: the limit follows a live heap that grows beyond the floor, and returns to the floor when the heap shrinks.
func TestPace(t *testing.T) {
	const floor = 64 << 20
	Pace(floor, 0)
	t.Cleanup(func() { debug.SetGCPercent(100) })
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	if limit() != floor {
		t.Fatalf("limit %d, want %d", limit(), floor)
	}
	kept := make([]byte, 4*floor)
	for i := 0; limit() < 4*floor+16<<20; i++ { // the live heap plus the headroom
		if i == 1000 {
			t.Fatalf("with a live heap of %d bytes the limit is %d", len(kept), limit())
		}
		runtime.GC()
		runtime.Gosched()
	}
	runtime.KeepAlive(kept) // live until here
	for i := 0; limit() != floor; i++ {
		if i == 1000 {
			t.Fatalf("with an empty heap the limit is %d", limit())
		}
		runtime.GC()
		runtime.Gosched()
	}
}

// headroomAfter returns the headroom after collections at the given intervals. A negative one is that of a collection
// that was forced.
func headroomAfter(intervals ...time.Duration) int64 {
	last := collection{headroom: minHeadroom}
	for _, interval := range intervals {
		now := collection{at: last.at.Add(max(interval, -interval)), automatic: last.automatic}
		if interval > 0 {
			now.automatic++
		}
		last = now.after(last)
	}
	return last.headroom
}

// TestHeadroom: a process that collects all the time gets more headroom after a while, up to a bound. It loses that at
// rest.
func TestHeadroom(t *testing.T) {
	soon := func(times int, then ...time.Duration) []time.Duration {
		return append(slices.Repeat([]time.Duration{time.Second}, times), then...)
	}
	for name, test := range map[string]struct {
		intervals []time.Duration
		want      int64
	}{
		"none":                   {nil, minHeadroom},
		"a burst":                {soon(29), minHeadroom},
		"after a burst":          {soon(30), minHeadroom + headroomStep},
		"another burst":          {append(soon(20, 9*time.Second), soon(29)...), minHeadroom},
		"for long":               {soon(1000), maxHeadroom},
		"then more rarely":       {soon(1000, 10*time.Second), maxHeadroom},
		"then much more rarely":  {soon(1000, time.Minute), minHeadroom},
		"then forced, when idle": {soon(1000, -time.Second), minHeadroom},
	} {
		if got := headroomAfter(test.intervals...); got != test.want {
			t.Errorf("%s: %d MiB, want %d", name, got>>20, test.want>>20)
		}
	}
}

// TestPaceOfStacks: stacks do not count as heap, so a process with thousands of goroutines does not collect all the
// time.
func TestPaceOfStacks(t *testing.T) {
	const floor = 16 << 20
	Pace(floor, 0)
	t.Cleanup(func() { debug.SetGCPercent(100) })
	stop := make(chan struct{})
	var running sync.WaitGroup
	for range 20_000 { // at least 2 KiB each
		running.Go(func() { <-stop })
	}
	for i := 0; debug.SetMemoryLimit(-1) < 3*floor; i++ { // 24 MiB without the stacks
		if i == 100 {
			t.Fatalf("the limit is %d", debug.SetMemoryLimit(-1))
		}
		runtime.GC()
		runtime.Gosched()
	}
	close(stop)
	running.Wait()
}

// written returns memory that the process has from the system.
func written() []byte {
	memory := make([]byte, 128<<20)
	for i := range len(memory) / 4096 {
		memory[i*4096] = 1
	}
	return memory
}

// releaseAt calls release until the end of the test, and returns its ticks.
func releaseAt(t *testing.T) chan<- time.Time {
	ticks := make(chan time.Time)
	var running sync.WaitGroup
	running.Go(func() { release(ticks) })
	t.Cleanup(func() {
		close(ticks)
		running.Wait()
	})
	return ticks
}

// TestReleaseOfMemoryInUse: a process that needs its memory does not collect at every tick.
func TestReleaseOfMemoryInUse(t *testing.T) {
	kept := written()
	collections := func() uint32 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.NumGC
	}
	ticks := releaseAt(t)
	for range 3 { // one release at least
		ticks <- time.Time{}
	}
	before := collections()
	for range 10 {
		ticks <- time.Time{}
	}
	if n := collections() - before; n > 2 {
		t.Errorf("%d collections in 10 ticks", n)
	}
	runtime.KeepAlive(kept)
}

// TestRelease: the memory of a burst is returned to the system when no collection runs between two ticks.
func TestRelease(t *testing.T) {
	kept := written()
	runtime.KeepAlive(kept) // live until here
	released := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapReleased
	}
	before := released()
	ticks := releaseAt(t)
	for i := 0; released() < before+uint64(len(kept))/2; i++ {
		if i == 1000 {
			t.Fatalf("%d bytes are released, %d more than before", released(), released()-before)
		}
		ticks <- time.Time{}
	}
}
