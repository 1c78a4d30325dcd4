package memory_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"pixgraph/internal/memory"
)

// TestPace: the limit follows a live heap that grows beyond the floor, and returns to the floor when the heap shrinks.
func TestPace(t *testing.T) {
	const floor = 32 << 20
	memory.Pace(floor)
	t.Cleanup(func() { debug.SetGCPercent(100) })
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	if limit() != floor {
		t.Fatalf("limit %d, want %d", limit(), floor)
	}
	kept := make([]byte, 4*floor)
	for i := 0; limit() < 4*floor+floor/2; i++ { // the live heap plus the headroom
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
