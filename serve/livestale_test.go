package serve_test

import (
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/upstream/live"
)

// TestLiveStaleIsRetryable: the error of a STALE event is retryable, since the stream reads again, also where that of a
// query is not.
func TestLiveStaleIsRetryable(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Serve.Live.StaleAfter = time.Second }), func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		s := g.watchRecord(t, g.Token, id)
		undo := g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Mutate: func([]byte) []byte { return []byte("[]") }})
		e := s.want(live.Stale)
		if err := e.Errors[0].Extensions; err["code"] != "UPSTREAM_INVALID_RESPONSE" || err["retryable"] != true || e.Live.Final {
			t.Errorf("%s", e.Body)
		}
		q := g.Query(`query($id: ID!) { transaction(id: $id) { id } }`, variables{"id": id})
		if err := q.Errors[0].Extensions; err["code"] != "UPSTREAM_INVALID_RESPONSE" || err["retryable"] != false {
			t.Errorf("%s", q.Body)
		}
		undo()
		s.want(live.Recovered)
	})
}
