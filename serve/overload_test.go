package serve_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
)

// awaitStats waits until the statistics of the core meet a condition.
func (g *gateway) awaitStats(what string, holds func(client.ServiceStats) bool) {
	g.T.Helper()
	g.await(what, func() bool { return holds(g.Upstream.Stats()[0]) })
}

// newTokens returns tokens of several callers.
func (g *gateway) newTokens() (tokens []string) {
	for n := range 5 {
		tokens = append(tokens, g.Box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint("caller ", n)}))
	}
	return tokens
}

// deposits is a query with a number that makes its call different from all others, so that they are not coalesced.
func deposits(n int) string {
	return fmt.Sprintf("{ deposits(filter: {minAmount: %d}) { totalCount } }", n+1)
}

// awaitSuccess sends queries, with numbers from n on, until one succeeds.
func (g *gateway) awaitSuccess(n int) {
	g.T.Helper()
	g.await("a success", func() bool {
		n++
		return len(g.Query(deposits(n)).Errors) == 0
	})
}

// TestHangingService: while the core hangs under many clients, queries to the dispatcher succeed, the calls to the core
// are bounded, and every client gets an error. When the core has recovered, the first call to it succeeds.
func TestHangingService(t *testing.T) {
	const clients, turns, background, queue = 200, 20, 5, 20
	runWith(t, func(o *options) {
		o.Upstream.Concurrency, o.Upstream.Queue, o.Upstream.Timeout = turns+background, queue, 10*time.Second
		o.Upstream.Breaker = client.BreakerConfig{Percent: 50, Calls: 10, Window: time.Hour, Wait: 50 * time.Millisecond}
	}, func(t *testing.T, g *gateway) {
		notification := fmt.Sprintf("{ notification(id: %q) { id } }", g.Box.Ledger().Notifications()[0].ID)
		g.Query(notification).WantOK()
		g.Box.ResetCalls()
		undo := g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang})
		defer undo()

		codes, tokens := make(chan any, clients), g.newTokens()
		for i := range clients {
			go func() {
				a := g.QueryAs(tokens[i%len(tokens)], deposits(i))
				codes <- a.Errors[0].Extensions["code"]
			}()
		}
		g.AwaitCalls(turns - background) // the callers have their shares of the core
		for range 50 {
			g.Query(notification).WantOK()
		}
		counts := map[any]int{}
		for range clients {
			counts[<-codes]++
		}
		if counts["UPSTREAM_TIMEOUT"]+counts["UPSTREAM_UNAVAILABLE"] != clients || counts["UPSTREAM_UNAVAILABLE"] < clients-2*turns-queue {
			t.Errorf("%v", counts)
		}
		if calls := g.Box.Counters().Core; calls > 2*turns+queue {
			t.Errorf("%d calls to a core that hangs", calls)
		}
		stats := g.Upstream.Stats()
		if stats[0].Shed == 0 || stats[0].Waiting != 0 || stats[0].InFlight != 0 || stats[1].Breaker != "closed" || stats[1].Shed != 0 {
			t.Errorf("%+v", stats)
		}
		if stats[0].Breaker == "closed" {
			t.Error("the circuit breaker did not open")
		}

		undo()
		g.Box.ResetCalls()
		g.awaitSuccess(0)
		if calls := g.Box.Counters().Core; calls != 1 {
			t.Errorf("%d calls until the first success, want 1", calls)
		}
		for n := range 2 {
			g.Query(deposits(n)).WantOK()
		}
		g.awaitStats("closed circuit breaker", func(s client.ServiceStats) bool { return s.Breaker == "closed" })
	})
}

// TestFairness: while one caller sends fifty times as many requests as another, and more than the gateway can serve,
// all requests of the other succeed.
func TestFairness(t *testing.T) {
	const few, many, turns, queue = 2, 100, 3, 16 // the flood has three of four turns
	runWith(t, func(o *options) {
		o.Auth.Mode = auth.ModeForward // in which each token is a caller
		o.Upstream.Concurrency, o.Upstream.Queue, o.Upstream.Timeout = 5, queue, 10*gatewaytest.Timeout
	}, func(t *testing.T, g *gateway) {
		other := g.Box.Token("of_the_other")
		for _, token := range []string{g.Token, other} { // until an API has accepted them, they share an eighth
			g.QueryAs(token, deposits(many)).WantOK()
		}
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Gate: gate})()
		send := func(token string, n int, responses chan<- response) { responses <- g.QueryAs(token, deposits(n)) }
		ofFlood, ofOther := make(chan response, many), make(chan response, few)
		for n := range many {
			go send(g.Token, n, ofFlood)
		}
		g.awaitStats("full queue", func(s client.ServiceStats) bool {
			return s.InFlight == turns && s.Waiting == queue && s.Shed == many-turns-queue
		})
		for n := range few {
			go send(other, n, ofOther)
		}
		g.awaitStats("requests of the other caller, one in flight and one in the queue", func(s client.ServiceStats) bool {
			return s.InFlight == turns+1 && s.Waiting == queue && s.Shed == many-turns-queue+few-1
		})
		close(gate)
		for range few {
			(<-ofOther).WantOK()
		}
		served := 0
		for range many {
			a := <-ofFlood
			if len(a.Errors) == 0 {
				served++
			} else if !strings.Contains(string(a.Body), "UPSTREAM_UNAVAILABLE") {
				t.Errorf("%s", a.Body)
			}
		}
		if served != turns+queue-few+1 {
			t.Errorf("%d requests of the first caller succeeded, want %d", served, turns+queue-few+1)
		}
	})
}

// TestLostProbes: when the calls of a half-open circuit breaker get no response, further calls are tried, and the next
// one succeeds.
func TestLostProbes(t *testing.T) {
	const failures, probes = 5, 3
	runWith(t, func(o *options) {
		o.Upstream.Timeout = 10 * gatewaytest.Timeout
		o.Upstream.Breaker = client.BreakerConfig{Percent: 50, Calls: failures, Window: time.Hour, Wait: 50 * time.Millisecond}
	}, func(t *testing.T, g *gateway) {
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Status: 500, Times: failures})()
		tokens := g.newTokens()
		for n := range failures {
			g.QueryAs(tokens[n], deposits(n))
		}
		lost := g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang, Times: probes})
		defer lost()
		ended := make(chan struct{}, probes)
		for n := range probes {
			go func() {
				defer func() { ended <- struct{}{} }()
				g.await("a probe", func() bool {
					a := g.QueryAs(tokens[n], deposits(failures+n))
					return len(a.Errors) == 0 || a.Errors[0].Extensions["retryAfterMs"] == nil
				})
			}()
		}
		g.awaitStats("lost probes", func(s client.ServiceStats) bool { return s.InFlight == probes && s.Breaker == "half-open" })
		g.awaitSuccess(200)
		if stats := g.Upstream.Stats()[0]; stats.InFlight != probes || g.Box.Counters().Core != failures+probes+1 {
			t.Errorf("%+v after %d calls", stats, g.Box.Counters().Core)
		}
		lost()
		for range probes {
			<-ended
		}
	})
}

// TestRejectedOperationsTeachNothing: operations that got no memory, and so did not run, change nothing of what their
// document is expected to need.
func TestRejectedOperationsTeachNothing(t *testing.T) {
	runWith(t, func(o *options) {
		o.Auth.Mode, o.Serve.MaxMemory, o.Serve.OperationTimeout = auth.ModeForward, 16<<20, time.Second
	}, func(t *testing.T, g *gateway) {
		sum := sha256.Sum256([]byte(g.Token)) // the caller, in forward mode
		const document = "{ deposits(perPage: 100) { nodes { id amount status createdAt updatedAt } } }"
		g.Query(document).WantOK()
		g.Query(document).WantOK() // with an accepted token
		before := g.Handler.Usual(document, string(sum[:]))
		release, ok := g.Handler.Hold(string(sum[:]), 10<<20)
		if !ok || before == 0 {
			t.Fatalf("held %v, usual %d", ok, before)
		}
		defer release()
		for range 3 {
			if r := g.Query(document); r.Status != http.StatusServiceUnavailable {
				t.Errorf("status %d: %.200s", r.Status, r.Body)
			}
		}
		if after := g.Handler.Usual(document, string(sum[:])); after != before {
			t.Errorf("%d bytes before, %d after", before, after)
		}
	})
}
