package hostile

import (
	"net/http"
	"testing"

	"pixgraph/upstream/sandbox"
)

// fairShare has a caller with hanging calls and more requests than there are slots for operations: it gets its share of
// the slots, and requests of another caller succeed.
func fairShare(t *testing.T, shared *gateway) {
	const places, clients = 40, 100
	g := newRelease(t, shared.binary, "--limits-operations=40", "--upstream-coalescing=off")
	attacker := g.caller("attacker")
	release := g.box.Inject(sandbox.Fault{Kind: sandbox.FaultHang, Token: attacker})
	c := g.startClients(clients, []string{attacker}, good, "", nil)
	// Three times the free slots is three quarters of all.
	await(t, "the attacker does not reach its share", func() bool { return g.metric(t, running) == places*3/4 })
	done := make(chan struct{})
	close(done)
	g.wantServing(t, done)
	if inside := g.metric(t, running); inside > places*3/4 {
		t.Errorf("%g operations of one caller run", inside)
	}
	release()
	// The hanging calls are aborted: their fields fail, in responses with status 200.
	if statuses := c.wantStatuses(t, http.StatusOK, http.StatusServiceUnavailable); statuses[http.StatusOK] != places*3/4 {
		t.Errorf("statuses %v, want %d of 200", statuses, places*3/4)
	}
	g.wantNoOperations(t)
	g.wantCleanEnd(t)
}
