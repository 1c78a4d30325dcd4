package serve_test

import (
	"testing"
	"time"

	"pixgraph/graph/guard/limits"
	"pixgraph/upstream/live"
)

// TestLiveEventsPay: an event pays for the calls of its links. Without credit the next one is late.
func TestLiveEventsPay(t *testing.T) {
	const cost, rate = 51, 10 // the transaction, and 50 notifications that it may have
	runWith(t, func(o *options) {
		o.Serve.Live.Interval = time.Second
		o.Serve.Limits.Rate.PerIdentity = limits.Rate{PerSecond: rate, Burst: 2*cost + 8}
	}, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		const document = `subscription($id: ID!) { transaction(id: $id) { status notifications { nodes { id } } } }`
		s := g.subscribe(t, g.Token, document, variables{"id": id})
		s.want(live.Snapshot)
		began := time.Now()
		for _, status := range []string{"PENDING", "PROCESSING", "PAID"} {
			g.Box.Ledger().SetStatus(id, status)
			s.want(live.Changed)
		}
		if after := time.Since(began); after < cost/rate*time.Second {
			t.Errorf("three events of %d calls within %s, at %d calls per second", cost, after, rate)
		}
	})
}
