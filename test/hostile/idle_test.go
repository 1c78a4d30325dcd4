package hostile

import (
	"testing"
	"time"
)

// idleBound is the maximum memory of a process that has had no requests for idlePatience.
const idleBound = 128 << 20

// idlePatience is longer than the time until the next release of memory after one that came too early, while a slow
// client still held its response: 16 ticks of 15 seconds, as in package memory.
const idlePatience = 5 * time.Minute

// wantIdle fails the test if the process does not return memory to the system while it gets no requests. It reads the
// memory from the system, because a request to the process would end the idle time.
func (g *gateway) wantIdle(t *testing.T) {
	t.Helper()
	awaitWithin(t, idlePatience, "the idle process keeps its memory", func() bool { return g.usage(t).RSS <= idleBound })
}
