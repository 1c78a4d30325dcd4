package hostile

import (
	"testing"
	"time"
)

const (
	// idleBound is the maximum memory of the process after a time without requests.
	idleBound = 128 << 20
	// idleAfter is the maximum of that time.
	idleAfter = time.Minute
)

// wantIdle fails the test if the process does not return memory to the system while it gets no requests. It reads the
// memory from the system, because a request to the process would end the idle time.
func (g *gateway) wantIdle(t *testing.T) {
	t.Helper()
	deadline := time.After(idleAfter)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for g.usage(t).RSS > idleBound {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("the idle process has %d MiB", g.usage(t).RSS>>20)
			return
		}
	}
}
