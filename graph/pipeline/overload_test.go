package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/gatewaytest"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// awaitStats waits until the core stands as the test wants.
func (g *gateway) awaitStats(what string, holds func(client.ServiceStats) bool) {
	g.T.Helper()
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for late := time.After(gatewaytest.Timeout); !holds(g.Upstream.Stats()[0]); {
		select {
		case <-pace.C:
		case <-late:
			g.T.Fatalf("in vain: %s: %+v", what, g.Upstream.Stats()[0])
		}
	}
}

// deposits is a list that no other number asks for, so that it is a call of its own.
func deposits(n int) string {
	return fmt.Sprintf("{ deposits(filter: {minAmount: %d}) { totalCount } }", n+1)
}

// awaitGood asks for lists, from that of a number on, until one is answered.
func (g *gateway) awaitGood(n int) {
	g.T.Helper()
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for late := time.After(gatewaytest.Timeout); len(g.Query(deposits(n)).Errors) > 0; n++ {
		select {
		case <-pace.C:
		case <-late:
			g.T.Fatal("no good answer")
		}
	}
}

// TestStorm has the core hang under many clients. The dispatcher is asked as if nothing were amiss, the calls to the core
// are bounded, all who ask for it are told, and the first call after it is well again is answered.
func TestStorm(t *testing.T) {
	const clients, turns, queue = 200, 20, 20
	g := start(t, func(o *options) {
		// The timeout is longer than all clients take to ask, on a busy machine too, and than the dispatcher to answer.
		o.Upstream.Concurrency, o.Upstream.Queue, o.Upstream.Timeout = turns, queue, shortTimeout
		o.Upstream.Breaker = client.BreakerConfig{Percent: 50, Calls: 10, Window: time.Hour, Wait: shortTimeout / 2}
	})
	notification := fmt.Sprintf("{ notification(id: %q) { id } }", g.Box.Ledger().Notifications()[0].ID)
	g.Query(notification).WantOK()
	g.Box.ResetCalls()
	undo := g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang})
	defer undo()

	codes := make(chan any, clients)
	for i := range clients {
		go func() {
			a := g.Query(deposits(i))
			codes <- a.Errors[0].Extensions["code"]
		}()
	}
	g.AwaitCalls(turns) // every turn of the core is taken
	for range 50 {
		g.Query(notification).WantOK()
	}
	told := map[any]int{}
	for range clients {
		told[<-codes]++
	}
	if told["UPSTREAM_TIMEOUT"]+told["UPSTREAM_UNAVAILABLE"] != clients || told["UPSTREAM_UNAVAILABLE"] < clients-2*turns-queue {
		t.Errorf("%v", told)
	}
	if calls := g.Box.Counters().Core; calls > 2*turns+queue {
		t.Errorf("%d calls to a core that hangs", calls)
	}
	stats := g.Upstream.Stats()
	if stats[0].Shed == 0 || stats[0].Waiting != 0 || stats[0].InFlight != 0 || stats[1].Breaker != "closed" || stats[1].Shed != 0 {
		t.Errorf("%+v", stats)
	}
	if stats[0].Breaker == "closed" {
		t.Error("the breaker did not open")
	}

	undo()
	g.Box.ResetCalls()
	g.awaitGood(0)
	if calls := g.Box.Counters().Core; calls != 1 {
		t.Errorf("%d calls until the first good answer, want 1", calls)
	}
	for n := range 2 {
		g.Query(deposits(n)).WantOK()
	}
	g.awaitStats("a closed breaker", func(s client.ServiceStats) bool { return s.Breaker == "closed" })
}

// TestOneCallerDoesNotStarveOthers: while one caller asks for fifty times as much as another, and more than can be served,
// the other gets all that it asks for.
func TestOneCallerDoesNotStarveOthers(t *testing.T) {
	const few, many, turns, queue = 2, 100, 4, 16
	g := start(t, func(o *options) {
		o.Auth.Mode = auth.ModeForward // where a caller is a token
		o.Upstream.Concurrency, o.Upstream.Queue, o.Upstream.Timeout = turns, queue, 10*gatewaytest.Timeout
	})
	gate := make(chan struct{})
	defer g.Box.Inject(sandbox.Fault{Gate: gate})()
	other := g.Box.Token("of the other")
	ask := func(token string, n int, into chan<- response) { into <- g.QueryAs(token, deposits(n)) }
	greedy, modest := make(chan response, many), make(chan response, few)
	for n := range many {
		go ask(g.Token, n, greedy)
	}
	g.awaitStats("a full queue", func(s client.ServiceStats) bool {
		return s.InFlight == turns && s.Waiting == queue && s.Shed == many-turns-queue
	})
	for n := range few {
		go ask(other, n, modest)
	}
	g.awaitStats("the other caller in the queue", func(s client.ServiceStats) bool {
		return s.Waiting == queue && s.Shed == many-turns-queue+few
	})
	close(gate)
	for range few {
		(<-modest).WantOK()
	}
	served := 0
	for range many {
		a := <-greedy
		if len(a.Errors) == 0 {
			served++
		} else if !strings.Contains(string(a.Body), "UPSTREAM_UNAVAILABLE") {
			t.Errorf("%s", a.Body)
		}
	}
	if served != turns+queue-few {
		t.Errorf("%d of the greedy caller's were served, want %d", served, turns+queue-few)
	}
}

// TestLostCallsKeepNobodyAway: the calls by which a core that failed is tried are lost, and never answered. The core is
// tried again all the same, and the next call is answered.
func TestLostCallsKeepNobodyAway(t *testing.T) {
	const failures, probes = 5, 3
	g := start(t, func(o *options) {
		o.Upstream.Timeout = 10 * gatewaytest.Timeout
		o.Upstream.Breaker = client.BreakerConfig{Percent: 50, Calls: failures, Window: time.Hour, Wait: 500 * time.Millisecond}
	})
	defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Status: 500, Times: failures})()
	for n := range failures {
		g.Query(deposits(n))
	}
	lost := g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang, Times: probes})
	defer lost()
	ended := make(chan struct{}, probes)
	for n := range probes {
		go func() {
			defer func() { ended <- struct{}{} }()
			for refused := true; refused; { // until this is one of them
				a := g.Query(deposits(failures + n))
				refused = len(a.Errors) > 0 && a.Errors[0].Extensions["retryAfterMs"] != nil
			}
		}()
	}
	g.awaitStats("the calls that are lost", func(s client.ServiceStats) bool { return s.InFlight == probes && s.Breaker == "half-open" })
	g.awaitGood(200)
	if stats := g.Upstream.Stats()[0]; stats.InFlight != probes || g.Box.Counters().Core != failures+probes+1 {
		t.Errorf("%+v after %d calls", stats, g.Box.Counters().Core)
	}
	lost()
	for range probes {
		<-ended
	}
}
