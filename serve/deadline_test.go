package serve_test

import (
	"net/http"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/serve"
	"pixgraph/test/gatewaytest"
)

// TestDeadlines: at the deadline of the operation, fields without a value get an error, and the others succeed. A
// client may set an earlier deadline than the gateway, but not a later one.
func TestDeadlines(t *testing.T) {
	for name, tt := range map[string]struct {
		gateway time.Duration
		header  []string
	}{
		"the gateway's":               {10 * time.Second, nil},
		"earlier than the gateway's":  {gatewaytest.Timeout, []string{"10000"}},
		"the gateway has no deadline": {0, []string{"10000"}},
		"later than the gateway's":    {10 * time.Second, []string{"999999999999"}},
		"the same as the gateway's":   {10 * time.Second, []string{"10000"}},
	} {
		bubble(t, name, func(t *testing.T) {
			g := start(t, small, func(o *options) { o.Serve.OperationTimeout, o.Upstream.Timeout = tt.gateway, time.Hour })
			g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Kind: sandbox.FaultHang})
			began := time.Now()
			a := g.QueryWith(http.Header{serve.HeaderTimeout: tt.header},
				"query($id: ID!) { transaction(id: $id) { id } deposits { totalCount } }", variables{"id": g.transactionIDs(1)[0]})
			a.WantError("UPSTREAM_TIMEOUT", "transaction")
			if len(a.Errors) != 1 || a.At("deposits") == nil || a.At("transaction") != nil {
				t.Errorf("%s", a.Body)
			}
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// TestInvalidClientDeadlines: an invalid deadline is an error, because the client relies on it.
func TestInvalidClientDeadlines(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for _, values := range [][]string{{""}, {"0"}, {"-1"}, {"+5"}, {"5s"}, {"1.5"}, {"1e3"}, {"5,6"}, {"soon"}, {"9999999999999"}, {"5", "6"}} {
			a := g.QueryWith(http.Header{serve.HeaderTimeout: values}, "{ deposits { totalCount } }")
			if a.Status != http.StatusBadRequest {
				t.Errorf("%q: status %d", values, a.Status)
			}
			a.WantError("BAD_REQUEST")
		}
		g.WantNoCalls()
	})
}
