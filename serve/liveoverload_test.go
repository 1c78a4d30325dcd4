package serve_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/upstream/live"
)

// awaitReads waits for more reads of streams, which are complete with all of their executions but the last one.
func (g *gateway) awaitReads(more uint64) {
	g.T.Helper()
	before := g.Handler.Live().Reads
	g.await("a read", func() bool { return g.Handler.Live().Reads >= before+more })
}

// exhaustMemory runs queries, which hold memory, until one more is refused. They end with release.
func (g *gateway) exhaustMemory() (release func()) {
	g.T.Helper()
	gate := make(chan struct{})
	undo := g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Gate: gate})
	var running sync.WaitGroup
	for n := 0; ; n++ {
		running.Go(func() { g.Query(deposits(n)) })
		refused := false
		g.await("a query", func() bool {
			_, refusals := g.Handler.Memory()
			refused = refusals > 0
			held := 0
			for _, call := range g.Box.Calls() {
				if strings.Contains(call.Path, "deposit") {
					held++
				}
			}
			return refused || held > n
		})
		if refused {
			break
		}
	}
	return sync.OnceFunc(func() {
		close(gate)
		undo()
		running.Wait()
	})
}

// TestEventWithoutMemory: without memory for the answer to a change, the stream keeps its state. It is notified if that
// lasts, and gets the answer when there is memory again.
func TestEventWithoutMemory(t *testing.T) {
	for name, staleAfter := range map[string]time.Duration{"shortly": time.Hour, "for long": time.Millisecond} {
		bubble(t, name, func(t *testing.T) {
			g := start(t, quick, func(o *options) { o.Serve.MaxMemory, o.Serve.Live.StaleAfter = 1<<20, staleAfter })
			id := g.Box.Samples().OpenTransaction
			s := g.subscribe(t, g.Token, watchTransaction, variables{"id": id})
			before := s.want(live.Snapshot)
			release := g.exhaustMemory()
			defer release()
			g.Box.Ledger().Step()
			g.awaitReads(3)
			reason := live.Changed
			if staleAfter < time.Second {
				e := s.want(live.Stale)
				if err := e.Errors[0]; err.Extensions["code"] != "OVERLOADED" || err.Extensions["retryable"] != true || e.At("payment") != nil {
					t.Errorf("%s", e.Body)
				}
				reason = live.Recovered
			}
			release()
			after := s.want(reason)
			if after.Text("payment", "status") == before.Text("payment", "status") {
				t.Errorf("%s", after.Body)
			}
		})
	}
}

// TestIncompleteEvent: an event without its linked records, because their API fails, is followed by one with them.
func TestIncompleteEvent(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Serve.Live.StaleAfter = 100 * time.Millisecond }), func(t *testing.T, g *gateway) {
		undo := g.Box.Inject(sandbox.Fault{Service: sandbox.Dispatcher, Status: http.StatusServiceUnavailable})
		defer undo()
		const document = `subscription($id: ID!) { transaction(id: $id) { status notifications { nodes { id } } } }`
		s := g.subscribe(t, g.Token, document, variables{"id": g.Box.Samples().OpenTransaction})
		if e := s.want(live.Snapshot); len(e.Errors) == 0 {
			t.Fatalf("%s", e.Body)
		}
		undo()
		e := s.want(live.Changed)
		for len(e.Errors) > 0 {
			e = s.want(live.Changed)
		}
		if nodes := e.List("transaction", "notifications", "nodes"); len(nodes) == 0 || nodes[0] == nil {
			t.Errorf("%s", e.Body)
		}
	})
}
