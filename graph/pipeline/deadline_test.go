package pipeline_test

import (
	"net/http"
	"testing"
	"time"

	"pixgraph/graph/pipeline"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// TestOperationDeadline: at the deadline of the operation, fields without a value get an error, and the others succeed.
func TestOperationDeadline(t *testing.T) {
	g := start(t, func(o *options) { o.Pipeline.OperationTimeout = shortTimeout })
	g.warm()
	t.Parallel()
	g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Kind: sandbox.FaultHang})
	a := g.Query("query($id: ID!) { transaction(id: $id) { id } deposits { totalCount } }", variables{"id": g.transactionIDs(1)[0]})
	a.WantError("UPSTREAM_TIMEOUT", "transaction")
	if len(a.Errors) != 1 || a.At("deposits") == nil || a.At("transaction") != nil {
		t.Errorf("%s", a.Body)
	}
}

// TestClientDeadline: a client may set an earlier deadline than the gateway, but not a later one.
func TestClientDeadline(t *testing.T) {
	for name, tt := range map[string]struct {
		gateway time.Duration
		header  string
	}{
		"earlier than the gateway's":  {gatewaytest.Timeout, "10000"},
		"the gateway has no deadline": {0, "10000"},
		"later than the gateway's":    {shortTimeout, "999999999999"},
		"the same as the gateway's":   {shortTimeout, "10000"},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t, func(o *options) { o.Pipeline.OperationTimeout, o.Upstream.Timeout = tt.gateway, time.Hour })
			g.warm()
			t.Parallel()
			g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Gate: make(chan struct{})})
			a := g.QueryWith(http.Header{pipeline.HeaderTimeout: {tt.header}},
				"query($id: ID!) { transaction(id: $id) { id } deposits { totalCount } }", variables{"id": g.transactionIDs(1)[0]})
			a.WantError("UPSTREAM_TIMEOUT", "transaction")
			if len(a.Errors) != 1 || a.At("deposits") == nil || a.At("transaction") != nil {
				t.Errorf("%s", a.Body)
			}
		})
	}
}

// TestInvalidClientDeadlines: an invalid deadline is an error, because the client relies on it.
func TestInvalidClientDeadlines(t *testing.T) {
	g := start(t)
	for _, values := range [][]string{{""}, {"0"}, {"-1"}, {"+5"}, {"5s"}, {"1.5"}, {"1e3"}, {"5,6"}, {"soon"}, {"9999999999999"}, {"5", "6"}} {
		a := g.QueryWith(http.Header{pipeline.HeaderTimeout: values}, "{ deposits { totalCount } }")
		if a.Status != http.StatusBadRequest {
			t.Errorf("%q: status %d", values, a.Status)
		}
		a.WantError("BAD_REQUEST")
	}
	g.WantNoCalls()
}
