package hostile

import (
	"net/http"
	"testing"

	"pixgraph/upstream/sandbox"
)

// greed is a caller whose calls never end, with more requests than there are places: it takes its share of them, and
// another caller is answered from the rest.
func greed(t *testing.T, shared *gateway) {
	const places, clients = 40, 100
	box := newSandbox(t)
	g := ship(t, shared.cmd.Path, box, append(toward(box), "--limits-operations=40", "--upstream-coalescing=off")...)
	attacker := g.caller("attacker")
	release := box.Inject(sandbox.Fault{Kind: sandbox.FaultHang, Token: attacker})
	c := g.gather(clients, []string{attacker}, good, "", nil)
	// Three times what is free is three quarters of all.
	await(t, "the attacker does not take its share", func() bool { return g.metric(t, running) == places*3/4 })
	done := make(chan struct{})
	close(done)
	g.serving(t, done)
	if inside := g.metric(t, running); inside > places*3/4 {
		t.Errorf("%g operations of one caller run", inside)
	}
	release()
	// The hanging calls are cut: their fields fail, in answers that are 200.
	if statuses := c.wantStatuses(t, http.StatusOK, http.StatusServiceUnavailable); statuses[http.StatusOK] != places*3/4 {
		t.Errorf("statuses %v, want %d of 200", statuses, places*3/4)
	}
	g.idle(t)
	g.finish(t)
}
