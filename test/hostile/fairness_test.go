package hostile

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// fairShare has a caller with hanging calls and more requests than there are slots for operations: it gets its share of
// the slots, and requests of another caller succeed.
func fairShare(t *testing.T, shared *gateway) {
	const places, clients = 40, 100
	g := newRelease(t, shared.binary, "--upstream-concurrency=10")
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

// hangingCalls has a caller whose calls hang, and that requests more of them than may be in flight: it gets its share
// of the calls of queries, and none of those of streams. Queries of another caller succeed, and its stream shows a
// change.
func hangingCalls(t *testing.T, shared *gateway) {
	const calls, ofQueries, clients = 40, 30, 20
	g := newRelease(t, shared.binary, fmt.Sprint("--upstream-concurrency=", calls),
		"--upstream-timeout=50s", "--operation-timeout=50s")
	id := g.box.Samples().OpenTransaction
	events := g.watch(t, g.caller("bystander"), id)
	attacker := g.caller("attacker")
	release := g.box.Inject(sandbox.Fault{Kind: sandbox.FaultHang, Token: attacker})
	lists := "{" + times(16, "a%d: deposits(filter: {minAmount: %[1]d}) { totalCount } ") + "}"
	c := g.startClients(clients, []string{attacker}, `{"query":`+quote(lists)+`}`, "", nil)
	inFlight := func() float64 { return g.metric(t, `pixgraph_upstream_calls_in_flight{service="core"}`) }
	await(t, "the attacker does not reach its share", func() bool { return inFlight() >= ofQueries*3/4 })
	done := make(chan struct{})
	close(done)
	g.wantServing(t, done)
	g.box.Ledger().SetStatus(id, "REFUNDED")
	for !strings.Contains(events(), "REFUNDED") {
	}
	release()
	c.wantStatuses(t, http.StatusOK, http.StatusServiceUnavailable)
	g.wantNoOperations(t)
	g.wantCleanEnd(t)
}

// watch begins a stream of a transaction, and returns a function that waits for its next line.
func (g *gateway) watch(t *testing.T, token, id string) (next func() string) {
	t.Helper()
	body := fmt.Sprintf(`{"query":"subscription { transaction(id: \"%s\") { status } }"}`, id)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+g.Address+"/graphql", strings.NewReader(body))
	must(t, err)
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewReader(response.Body)
	return func() string {
		line, err := lines.ReadString('\n')
		must(t, err)
		return line
	}
}

// failingRecord has a caller whose calls for a record fail, and who repeats them: the circuit breaker stays closed, and
// queries of another caller succeed. Its own queries for other records do too.
func failingRecord(t *testing.T, shared *gateway) {
	const queries = 200
	g := newRelease(t, shared.binary)
	attacker, records := g.caller("attacker"), g.box.Ledger().Transactions()
	g.box.Inject(sandbox.Fault{Status: http.StatusInternalServerError, ID: records[0].ID})
	body := fmt.Sprintf(`{"query":"{ transaction(id: \"%s\") { id } }"}`, records[0].ID)
	c := g.startClients(queries, []string{attacker}, body, "", nil)
	c.wantStatuses(t, http.StatusOK)
	if closed := g.metric(t, `pixgraph_upstream_breaker_state{service="core",state="closed"}`); closed != 1 {
		t.Error("one caller opened the circuit breaker")
	}
	if calls := g.box.Counters().Core; calls >= queries {
		t.Errorf("%d calls for a record that fails", calls)
	}
	done := make(chan struct{})
	close(done)
	g.wantServing(t, done)
	token := "Authorization: Bearer " + attacker
	g.wantRow(t, row{name: "another record", send: query(fmt.Sprintf(`{ transaction(id: %q) { id } }`, records[1].ID), token), status: http.StatusOK})
	g.wantCleanEnd(t)
}
