package memory_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"pixgraph/internal/memory"
)

// TestPace: the limit follows a live heap that grows beyond the floor, and returns to the floor when the heap shrinks.
func TestPace(t *testing.T) {
	const floor = 64 << 20
	memory.Pace(floor, 0)
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

// TestHeadroom: a process that collects all the time gets more headroom after a while, up to a bound. It loses that at rest.
func TestHeadroom(t *testing.T) {
	const minimum, maximum = memory.MinHeadroom, memory.MaxHeadroom
	soon := func(times int, then ...time.Duration) []time.Duration {
		return append(slices.Repeat([]time.Duration{time.Second}, times), then...)
	}
	for name, test := range map[string]struct {
		intervals []time.Duration
		want      int64
	}{
		"none":                   {nil, minimum},
		"a burst":                {soon(29), minimum},
		"after a burst":          {soon(30), minimum + memory.HeadroomStep},
		"another burst":          {append(soon(20, 9*time.Second), soon(29)...), minimum},
		"for long":               {soon(1000), maximum},
		"then more rarely":       {soon(1000, 10*time.Second), maximum},
		"then much more rarely":  {soon(1000, time.Minute), minimum},
		"then forced, when idle": {soon(1000, -time.Second), minimum},
	} {
		if got := memory.Headroom(test.intervals...); got != test.want {
			t.Errorf("%s: %d MiB, want %d", name, got>>20, test.want>>20)
		}
	}
}

// TestPaceOfStacks: stacks do not count as heap, so a process with thousands of goroutines does not collect all the time.
func TestPaceOfStacks(t *testing.T) {
	const floor = 16 << 20
	memory.Pace(floor, 0)
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

// TestReleaseOfMemoryInUse: a process that needs its memory does not collect at every tick.
func TestReleaseOfMemoryInUse(t *testing.T) {
	kept := make([]byte, 128<<20)
	for i := range len(kept) / 4096 {
		kept[i*4096] = 1
	}
	collections := func() uint32 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.NumGC
	}
	ticks := make(chan time.Time)
	done := make(chan struct{})
	go func() {
		defer close(done)
		memory.Release(ticks)
	}()
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
	close(ticks)
	<-done
}

// TestRelease: the memory of a burst is returned to the system when no collection runs between two ticks.
func TestRelease(t *testing.T) {
	kept := make([]byte, 128<<20)
	for i := range len(kept) / 4096 {
		kept[i*4096] = 1
	}
	runtime.KeepAlive(kept) // live until here
	released := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapReleased
	}
	before := released()
	ticks := make(chan time.Time)
	done := make(chan struct{})
	go func() {
		defer close(done)
		memory.Release(ticks)
	}()
	for i := 0; released() < before+uint64(len(kept))/2; i++ {
		if i == 1000 {
			t.Fatalf("%d bytes are released, %d more than before", released(), released()-before)
		}
		ticks <- time.Time{}
	}
	close(ticks)
	<-done
}
