package hostile

import "testing"

// idleBound is the maximum memory of the process after a minute without requests.
const idleBound = 128 << 20

// wantIdle fails the test if the process does not return memory to the system while it gets no requests. It reads the
// memory from the system, because a request to the process would end the idle time.
func (g *gateway) wantIdle(t *testing.T) {
	t.Helper()
	await(t, "the idle process keeps its memory", func() bool { return g.usage(t).RSS <= idleBound })
}
