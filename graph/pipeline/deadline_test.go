package pipeline_test

import (
	"net/http"
	"testing"
	"time"

	"pixgraph/graph/pipeline"
	"pixgraph/internal/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// TestOperationDeadline: what has come by the deadline of the operation is answered, the rest is an error of its field.
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

// TestClientDeadline: a client may give an operation less time than the gateway, but not more.
func TestClientDeadline(t *testing.T) {
	for name, tt := range map[string]struct {
		own    time.Duration
		header string
	}{
		"less than the gateway":        {gatewaytest.Timeout, "10000"},
		"where the gateway gives any":  {0, "10000"},
		"more makes no difference":     {shortTimeout, "999999999999"},
		"the same makes no difference": {shortTimeout, "10000"},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t, func(o *options) { o.Pipeline.OperationTimeout, o.Upstream.Timeout = tt.own, time.Hour })
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

// TestBadClientDeadlines are refused: a client that sends one relies on it.
func TestBadClientDeadlines(t *testing.T) {
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
