package memory

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// watched returns a function that collects, and returns the limit that is set after it.
func watched(floor int64) func() int64 {
	limits := make(chan int64, 1)
	paceIn(floor, 0).watch(collected(), func(limit int64) {
		select {
		case <-limits: // of a collection that the test does not wait for
		default:
		}
		limits <- limit
	})
	return func() int64 {
		runtime.GC()
		<-limits // may be that of a collection before
		runtime.GC()
		return <-limits
	}
}

// TestPace: the limit follows a live heap that grows beyond the floor, and returns to the floor when the heap shrinks.
func TestPace(t *testing.T) {
	const floor = 64 << 20
	limit := watched(floor)
	kept := make([]byte, 4*floor)
	if got := limit(); got < 4*floor+16<<20 { // the live heap plus the headroom
		t.Errorf("with a live heap of %d bytes the limit is %d", len(kept), got)
	}
	runtime.KeepAlive(kept) // live until here
	if got := limit(); got != floor {
		t.Errorf("with an empty heap the limit is %d", got)
	}
}

// headroomAfter returns the headroom after collections of a live heap at the given intervals. A negative one is that of
// a collection that was forced.
func headroomAfter(live int64, intervals ...time.Duration) int64 {
	last := collection{headroom: minHeadroom, live: live}
	for _, interval := range intervals {
		now := collection{at: last.at.Add(max(interval, -interval)), automatic: last.automatic, live: live}
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
		if got := headroomAfter(largeHeap, test.intervals...); got != test.want {
			t.Errorf("%s: %d MiB, want %d", name, got>>20, test.want>>20)
		}
		if got := headroomAfter(largeHeap-1, test.intervals...); got != minHeadroom {
			t.Errorf("%s, with a small heap: %d MiB", name, got>>20)
		}
	}
}

// TestPaceOfStacks: stacks do not count as heap, so a process with thousands of goroutines does not collect all the
// time.
func TestPaceOfStacks(t *testing.T) {
	const floor = 16 << 20
	limit := watched(floor)
	stop := make(chan struct{})
	var running sync.WaitGroup
	for range 20_000 { // at least 2 KiB each
		running.Go(func() { <-stop })
	}
	if got := limit(); got < 3*floor { // 24 MiB without the stacks
		t.Errorf("the limit is %d", got)
	}
	close(stop)
	running.Wait()
}

// written returns memory that the process has from the system.
func written() []byte {
	memory := make([]byte, 64<<20)
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
		if i == 10 {
			t.Fatalf("%d bytes are released, %d more than before", released(), released()-before)
		}
		ticks <- time.Time{}
	}
}
