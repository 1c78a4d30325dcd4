package memory_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"pixgraph/internal/memory"
)

// TestPace: the limit follows a live heap that outgrows the floor, and comes back to the floor with it.
func TestPace(t *testing.T) {
	const floor = 32 << 20
	memory.Pace(floor)
	t.Cleanup(func() { debug.SetGCPercent(100) })
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	if limit() != floor {
		t.Fatalf("limit %d, want %d", limit(), floor)
	}
	kept := make([]byte, 4*floor)
	for i := 0; limit() < 8*floor; i++ {
		if i == 1000 {
			t.Fatalf("with %d bytes live the limit is %d", len(kept), limit())
		}
		runtime.GC()
		runtime.Gosched()
	}
	runtime.KeepAlive(kept) // until here
	for i := 0; limit() != floor; i++ {
		if i == 1000 {
			t.Fatalf("with nothing live the limit is %d", limit())
		}
		runtime.GC()
		runtime.Gosched()
	}
}
