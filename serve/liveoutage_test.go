package serve_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// TestOutage: while the core fails, no stream is lost, and each gets one STALE event. The circuit breaker allows a few
// calls only. Afterwards all streams are current, with few reads each.
func TestOutage(t *testing.T) {
	const streams, wait, concurrency, breakerCalls, probes = 30, 200 * time.Millisecond, 8, 10, 3
	for name, fault := range map[string]sandbox.Fault{
		"5xx": {Status: http.StatusInternalServerError}, "reset": {Kind: sandbox.FaultReset}, "hang": {Kind: sandbox.FaultHang},
	} {
		bubble(t, name, func(t *testing.T) {
			rounds := 3 // of probes
			g := start(t, func(o *options) {
				o.Serve.Live.Interval = 100 * time.Millisecond
				o.Upstream.Breaker = client.BreakerConfig{Percent: 5, Calls: breakerCalls, Window: time.Hour, Wait: wait}
				o.Upstream.Concurrency, o.Upstream.Retries, o.Serve.Live.StaleAfter = concurrency, 0, 500*time.Millisecond
				if fault.Kind == sandbox.FaultHang {
					o.Upstream.Timeout, rounds = 10*time.Second, 1
				}
			})
			ids, tokens := g.transactionIDs(streams), g.newTokens()
			var open []*stream
			for _, id := range ids {
				open = append(open, g.watchRecord(t, g.Token, id))
			}
			fault.Service = sandbox.Core
			undo := g.Box.Inject(fault)
			defer undo()
			var opened atomic.Bool
			for n := range 2 * breakerCalls { // reads of streams do not open it
				go func() {
					for !opened.Load() && g.Upstream.Stats()[0].Breaker == "closed" { // some queries get no turn
						g.QueryAs(tokens[n%len(tokens)], deposits(n))
						time.Sleep(10 * time.Millisecond) // the streams have read their records lately
					}
				}()
			}
			g.awaitStats("open breaker", func(s client.ServiceStats) bool { return s.Breaker != "closed" })
			opened.Store(true)
			g.Box.ResetCalls()
			began := time.Now()
			g.await("the last STALE", func() bool {
				events := g.Handler.Live().Events
				return events[live.Stale]-events[live.Recovered] == streams
			})
			g.AwaitCalls(rounds * probes)
			made, most := len(g.Calls()), concurrency+probes*(2+int(time.Since(began)/wait))
			if made > most {
				t.Errorf("%d calls while the breaker was open, want at most %d", made, most)
			}
			for _, id := range ids {
				g.Box.Ledger().SetStatus(id, "REFUNDED")
			}
			undo()
			g.Box.ResetCalls()
			for _, s := range open {
				s.wantRecovered("REFUNDED")
			}
			if peak := g.Box.Counters().Peak; peak > concurrency {
				t.Errorf("%d calls at the same time", peak)
			}
			if n := g.Handler.Live().Streams; n != streams {
				t.Errorf("%d streams, want %d", n, streams)
			}
		})
	}
}

// wantRecovered reads the events of a stream through outages, until it has a status. On a busy machine, reads that get
// no turn may be an outage too.
func (s *stream) wantRecovered(status string) {
	s.t.Helper()
	for before := ""; ; {
		e := s.next()
		switch reason := live.Reason(e.Live.Reason); {
		case reason == live.Recovered && e.Text("payment", "status") == status:
			return
		case reason == live.Recovered:
		case reason != live.Stale || before == e.Live.Reason || e.Live.Final || e.Errors[0].Extensions["retryable"] != true:
			s.t.Fatalf("after %q: %s", before, e.Body)
		}
		before = e.Live.Reason
	}
}

// TestRateLimitOfToken: an API that limits the rate of one token slows the reads of that token, and no others.
func TestRateLimitOfToken(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		limited := g.Box.Issuer().Mint(issuer.Grant{Subject: "limited"})
		g.watchRecord(t, limited, id)
		fast := g.watchRecord(t, g.Token, id)
		undo := g.Box.Inject(sandbox.Fault{
			Token: limited, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3600"}},
		})
		defer undo()
		g.await("a failed read", func() bool { return g.Handler.Live().Failed > 0 })
		g.Box.ResetCalls()
		g.awaitReads(20)
		g.Box.Ledger().Step()
		fast.want(live.Changed)
		g.awaitReads(5)
		for _, call := range g.Box.Calls() {
			if call.Header.Get("Authorization") == "Bearer "+limited {
				t.Error("a read with the limited token")
			}
		}
		g.QueryAs(limited, fmt.Sprintf("{ transaction(id: %q) { id } }", id)).WantError("RATE_LIMITED", "transaction")
		if s := g.Handler.Live(); s.Streams != 2 || s.Events[live.Stale] != 0 {
			t.Errorf("%+v", s)
		}
	})
}
