package pipeline_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// TestAdmission: one operation more than may be served is refused, and what is served is not touched by that.
func TestAdmission(t *testing.T) {
	const most = 2
	g := start(t, func(o *options) { o.Pipeline.MaxOperations, o.Upstream.Coalesce = most, false })
	gate := make(chan struct{})
	defer g.Box.Inject(sandbox.Fault{Gate: gate})()
	answers := make(chan response, most)
	for range most {
		go func() { answers <- g.Query("{ deposits { totalCount } }") }()
	}
	g.AwaitCalls(most)
	a := g.Query("{ deposits { totalCount } }")
	if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") != "1" {
		t.Errorf("status %d, %v", a.Status, a.Header)
	}
	refused := a.WantError("OVERLOADED")
	if refused.Extensions["retryable"] != true || refused.Extensions["retryAfterMs"] == nil || refused.Extensions["requestId"] == nil || a.Data != nil {
		t.Errorf("%s", a.Body)
	}
	if a := g.QueryAs("not a token", "{ deposits { totalCount } }"); a.Status != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", a.Status)
	}
	g.Get("/schema.graphql").WantOK()
	close(gate)
	for range most {
		(<-answers).WantOK()
	}
	g.Query("{ deposits { totalCount } }").WantOK()
	g.WantCalls(most+1, g.Token)
}

// TestAdmissionIsShared: a caller that takes all places that it gets leaves some for others, and its requests that have not
// been read take none.
func TestAdmissionIsShared(t *testing.T) {
	const most, share = 8, 6
	g := start(t, func(o *options) { o.Pipeline.MaxOperations, o.Upstream.Coalesce = most, false })
	other := g.Box.Issuer().Mint(issuer.Grant{Subject: "another caller"})
	for range 3 * most { // requests whose body never comes
		connection, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
		must(t, err)
		defer connection.Close()
		_, err = fmt.Fprintf(connection, "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", g.Token)
		must(t, err)
	}
	gate := make(chan struct{})
	defer g.Box.Inject(sandbox.Fault{Token: g.Token, Gate: gate})()
	answers := make(chan response, most)
	for range most {
		go func() { answers <- g.Query("{ deposits { totalCount } }") }()
	}
	for range most - share {
		(<-answers).WantError("OVERLOADED")
	}
	g.QueryAs(other, "{ deposits { totalCount } }").WantOK()
	close(gate)
	for range share {
		(<-answers).WantOK()
	}
}
