package graph_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"pixgraph/graph"
	"pixgraph/upstream/sandbox"
)

// TestAdmission: one operation more than may be served is refused before anything is done for it, and what is served is not
// touched by that.
func TestAdmission(t *testing.T) {
	const most = 2
	g := start(t, func(o *options) { o.graph.MaxOperations, o.client.Coalesce = most, false })
	gate := make(chan struct{})
	defer g.box.Inject(sandbox.Fault{Gate: gate})()
	answers := make(chan answer, most)
	for range most {
		go func() { answers <- g.query("{ deposits { totalCount } }") }()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, g.box.AwaitCalls(ctx, most))
	for _, token := range []string{g.token, "not a token"} {
		a := g.queryAs(token, "{ deposits { totalCount } }")
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" {
			t.Errorf("status %d, %v", a.status, a.header)
		}
		told := a.wantError("OVERLOADED")
		if told.Extensions["retryable"] != true || told.Extensions["requestId"] == nil || a.data != nil {
			t.Errorf("%s", a.body)
		}
	}
	resp, err := http.Get(g.url + "/schema.graphql")
	must(t, err)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the schema: %d", resp.StatusCode)
	}
	close(gate)
	for range most {
		(<-answers).ok()
	}
	g.query("{ deposits { totalCount } }").ok()
	g.wantCalls(most+1, g.token)
}

// TestClientDeadline: a client may give an operation less time than the gateway, but not more.
func TestClientDeadline(t *testing.T) {
	for name, tt := range map[string]struct {
		own    time.Duration
		header string
	}{
		"less than the gateway":        {patience, "1500"},
		"where the gateway gives any":  {0, "1500"},
		"more makes no difference":     {1500 * time.Millisecond, "999999999999"},
		"the same makes no difference": {1500 * time.Millisecond, "1500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, func(o *options) { o.graph.OperationTimeout, o.client.Timeout = tt.own, time.Hour })
			g.box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Gate: make(chan struct{})})
			a := g.post(http.Header{"Authorization": {"Bearer " + g.token}, graph.HeaderTimeout: {tt.header}},
				[]byte(`{"query":"{ transaction(id: \"`+g.transactionIDs(1)[0]+`\") { id } deposits { totalCount } }"}`))
			a.wantError("UPSTREAM_TIMEOUT", "transaction")
			if len(a.errors) != 1 || a.at("deposits") == nil || a.at("transaction") != nil {
				t.Errorf("%s", a.body)
			}
		})
	}
}

// TestBadClientDeadlines are refused: a client that sends one relies on it.
func TestBadClientDeadlines(t *testing.T) {
	g := start(t)
	for _, values := range [][]string{{""}, {"0"}, {"-1"}, {"+5"}, {"5s"}, {"1.5"}, {"1e3"}, {"5,6"}, {"soon"}, {"9999999999999"}, {"5", "6"}} {
		a := g.post(http.Header{"Authorization": {"Bearer " + g.token}, graph.HeaderTimeout: values}, []byte(`{"query":"{ deposits { totalCount } }"}`))
		if a.status != http.StatusBadRequest {
			t.Errorf("%q: status %d", values, a.status)
		}
		a.wantError("BAD_REQUEST")
	}
	g.wantCalls(0, "")
}
