package pipeline_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/graph/pipeline"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// TestAdmission: one operation more than may be served is refused, and what is served is not touched by that.
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
	a := g.query("{ deposits { totalCount } }")
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" {
		t.Errorf("status %d, %v", a.status, a.header)
	}
	refused := a.wantError("OVERLOADED")
	if refused.Extensions["retryable"] != true || refused.Extensions["retryAfterMs"] == nil || refused.Extensions["requestId"] == nil || a.data != nil {
		t.Errorf("%s", a.body)
	}
	if a := g.queryAs("not a token", "{ deposits { totalCount } }"); a.status != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", a.status)
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

// TestAdmissionIsShared: a caller that takes all places that it gets leaves some for others, and its requests that have not
// been read take none.
func TestAdmissionIsShared(t *testing.T) {
	const most, share = 8, 6
	g := start(t, func(o *options) { o.graph.MaxOperations, o.client.Coalesce = most, false })
	other := g.box.Issuer().Mint(issuer.Grant{Subject: "another caller"})
	for range 3 * most { // requests whose body never comes
		connection, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		must(t, err)
		defer connection.Close()
		_, err = fmt.Fprintf(connection, "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", g.token)
		must(t, err)
	}
	gate := make(chan struct{})
	defer g.box.Inject(sandbox.Fault{Token: g.token, Gate: gate})()
	answers := make(chan answer, most)
	for range most {
		go func() { answers <- g.query("{ deposits { totalCount } }") }()
	}
	for range most - share {
		(<-answers).wantError("OVERLOADED")
	}
	g.queryAs(other, "{ deposits { totalCount } }").ok()
	close(gate)
	for range share {
		(<-answers).ok()
	}
}

// TestClientDeadline: a client may give an operation less time than the gateway, but not more.
func TestClientDeadline(t *testing.T) {
	for name, tt := range map[string]struct {
		own    time.Duration
		header string
	}{
		"less than the gateway":        {patience, "10000"},
		"where the gateway gives any":  {0, "10000"},
		"more makes no difference":     {lateness, "999999999999"},
		"the same makes no difference": {lateness, "10000"},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t, func(o *options) { o.graph.OperationTimeout, o.client.Timeout = tt.own, time.Hour })
			g.warm()
			t.Parallel()
			g.box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Gate: make(chan struct{})})
			a := g.post(http.Header{"Authorization": {"Bearer " + g.token}, pipeline.HeaderTimeout: {tt.header}},
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
		a := g.post(http.Header{"Authorization": {"Bearer " + g.token}, pipeline.HeaderTimeout: values}, []byte(`{"query":"{ deposits { totalCount } }"}`))
		if a.status != http.StatusBadRequest {
			t.Errorf("%q: status %d", values, a.status)
		}
		a.wantError("BAD_REQUEST")
	}
	g.wantCalls(0, "")
}
