package hostile

import (
	"testing"
	"time"
)

const (
	// idleBound is what the process may have in memory when nothing was asked for a while.
	idleBound = 128 << 20
	// idleAfter is how long that is, at most.
	idleAfter = time.Minute
)

// wantIdle fails the test unless the process gives its memory back to the system when nobody asks for anything. It asks
// the system and not the process, which would not be idle.
func (g *gateway) wantIdle(t *testing.T) {
	t.Helper()
	deadline := time.After(idleAfter)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for g.resident(t) > idleBound {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("it has %d MiB when it is idle", g.resident(t)>>20)
			return
		}
	}
}
