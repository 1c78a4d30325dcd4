package serve_test

import (
	"fmt"
	"net/http"
	"testing"

	"pixgraph/auth"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestAdmission: an operation above the limit is rejected, and the running ones succeed.
func TestAdmission(t *testing.T) {
	const limit = 2
	runWith(t, func(o *options) {
		o.Serve.MaxOperations, o.Upstream.Coalesce = limit, false
	}, func(t *testing.T, g *gateway) {
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Gate: gate})()
		responses := make(chan response, limit)
		for range limit {
			go func() { responses <- g.Query("{ deposits { totalCount } }") }()
		}
		g.AwaitCalls(limit)
		a := g.Query("{ deposits { totalCount } }")
		if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") != "1" {
			t.Errorf("status %d, %v", a.Status, a.Header)
		}
		ext := a.WantError("OVERLOADED").Extensions
		if ext["retryable"] != true || ext["retryAfterMs"] == nil || ext["requestId"] == nil || a.Data != nil {
			t.Errorf("%s", a.Body)
		}
		if a := g.QueryAs("not a token", "{ deposits { totalCount } }"); a.Status != http.StatusUnauthorized {
			t.Errorf("with an invalid token: status %d", a.Status)
		}
		g.Get("/schema.graphql").WantOK()
		close(gate)
		for range limit {
			(<-responses).WantOK()
		}
		g.Query("{ deposits { totalCount } }").WantOK()
		g.WantCalls(limit+1, g.Token)
	})
}

// TestAdmissionIsShared: one caller cannot use all slots for operations. Requests whose body has not been read use no
// slot.
func TestAdmissionIsShared(t *testing.T) {
	const limit, share = 8, 6
	runWith(t, func(o *options) {
		o.Serve.MaxOperations, o.Upstream.Coalesce = limit, false
	}, func(t *testing.T, g *gateway) {
		other := g.Box.Issuer().Mint(issuer.Grant{Subject: "another caller"})
		for range 3 * limit { // requests whose body never arrives
			_, err := fmt.Fprintf(g.Dial(), "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", g.Token)
			must(t, err)
		}
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Token: g.Token, Gate: gate})()
		responses := make(chan response, limit)
		for range limit {
			go func() { responses <- g.Query("{ deposits { totalCount } }") }()
		}
		for range limit - share {
			(<-responses).WantError("OVERLOADED")
		}
		g.QueryAs(other, "{ deposits { totalCount } }").WantOK()
		close(gate)
		for range share {
			(<-responses).WantOK()
		}
	})
}

// TestInventedTokensShare: in forward mode, operations with invented tokens take at most an eighth of the slots,
// however many tokens there are. A token that an API has accepted has its own share.
func TestInventedTokensShare(t *testing.T) {
	const limit, common = 16, 2
	runWith(t, func(o *options) {
		o.Serve.MaxOperations, o.Auth.Mode = limit, auth.ModeForward
	}, func(t *testing.T, g *gateway) {
		g.Query("{ deposits { totalCount } }").WantOK()
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Gate: gate})()
		g.Box.ResetCalls()
		responses := make(chan response, common)
		for n := range common {
			go func() { responses <- g.QueryAs(fmt.Sprint("invented", n), "{ deposits { totalCount } }") }()
		}
		g.AwaitCalls(common)
		if a := g.QueryAs("invented", "{ __typename }"); a.Status != http.StatusServiceUnavailable {
			t.Errorf("one more invented token: status %d", a.Status)
		}
		for range limit {
			g.Query("{ __typename }").WantOK()
		}
		close(gate)
		for range common {
			(<-responses).WantError("UNAUTHENTICATED", "deposits")
		}
		g.QueryAs("invented", "{ __typename }").WantOK()
	})
}
