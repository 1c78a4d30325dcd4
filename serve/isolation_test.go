package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestCallersAreIsolated: callers that request the same records at the same time get their own data. The APIs return
// records that name the caller. Coalescing is tested on and off.
func TestCallersAreIsolated(t *testing.T) {
	for _, coalesce := range []bool{true, false} {
		bubble(t, fmt.Sprintf("coalescing: %v", coalesce), func(t *testing.T) { testCallersAreIsolated(t, coalesce) })
	}
}

func testCallersAreIsolated(t testing.TB, coalesce bool) {
	const callers, rounds = 8, 12
	g := start(t, func(o *options) { o.Upstream.Coalesce = coalesce })
	l := g.linked()
	tokens := make([]string, callers)
	for i := range tokens {
		tokens[i] = g.Box.Issuer().Mint(issuer.Grant{
			Subject: fmt.Sprintf("caller-%d", i), Scopes: []string{"get_dispatcher"}, Claims: map[string]any{"caller": fmt.Sprint(i)},
		})
		mark := fmt.Sprintf(`"acquirer":"caller-%d"`, i)
		owned := func(body []byte) []byte { return []byte(strings.ReplaceAll(string(body), `"acquirer":"a"`, mark)) }
		g.Box.Inject(sandbox.Fault{Token: tokens[i], Route: sandbox.RouteTransaction, Mutate: owned})
		tenant := func(body []byte) []byte {
			return []byte(strings.ReplaceAll(string(body), `"tenant":"t"`, fmt.Sprintf(`"tenant":"caller-%d"`, i)))
		}
		g.Box.Inject(sandbox.Fault{Token: tokens[i], Route: sandbox.RouteNotification, Mutate: tenant})
	}
	g.Query("{ __typename }").WantOK() // fetches the issuer's keys
	const document = `query($t: ID!, $n: ID!) { transaction(id: $t) { acquirer notifications { nodes { tenant transaction { acquirer } } } }
		notification(id: $n) { tenant transaction { acquirer } } }`

	responses := make([][]response, callers)
	var sending sync.WaitGroup
	for caller := range callers {
		responses[caller] = make([]response, rounds)
		for round := range rounds {
			sending.Go(func() {
				responses[caller][round] = g.QueryAs(tokens[caller], document, variables{"t": l.transaction, "n": l.known})
			})
		}
	}
	sending.Wait()
	for caller := range callers {
		me := fmt.Sprintf("caller-%d", caller)
		for _, a := range responses[caller] {
			a.WantOK()
			marks := 5
			if len(a.List("transaction", "notifications", "nodes")) == 2 {
				marks = 7 // the token has learned of the known notification
			}
			if got := strings.Count(string(a.Body), me); got != marks || strings.Count(string(a.Body), "caller-") != marks {
				t.Fatalf("%s got %s", me, a.Body)
			}
		}
	}
	perToken := map[string]int{}
	for _, call := range g.Box.Calls() {
		perToken[call.Header.Get("Authorization")]++
	}
	for i, token := range tokens {
		// The transaction and three notifications: the two of its metadata, of which one does not exist, and the known
		// one.
		const each = 4
		minimum := each * rounds
		if coalesce {
			minimum = each
		}
		if calls := perToken["Bearer "+token]; calls < minimum || calls > each*rounds {
			t.Errorf("caller %d made %d calls, want %d to %d", i, calls, minimum, each*rounds)
		}
	}
}

// TestForwardedHeaders: the APIs get the token, the request id and the trace context of a request, and no other header.
func TestForwardedHeaders(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		trace := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		a := g.QueryWith(http.Header{
			"Authorization": {"bearer " + g.Token}, "X-Request-Id": {"req-17"}, "Traceparent": {trace}, "Tracestate": {"a=b"},
			"Cookie": {"session=" + canary}, "X-Forwarded-For": {"203.0.113.9"}, "X-Canary": {canary}, "User-Agent": {canary},
		}, "{ deposits { totalCount } }")
		if a.WantOK().Header.Get("X-Request-Id") != "req-17" {
			t.Errorf("request id %q", a.Header.Get("X-Request-Id"))
		}
		header := g.Box.Calls()[0].Header
		want := http.Header{
			"Authorization": {"Bearer " + g.Token}, "X-Request-Id": {"req-17"}, "Traceparent": {trace},
			"Accept": {"application/json"}, "Accept-Encoding": {"identity"}, "User-Agent": {"pixgraph"},
		}
		if fmt.Sprint(header) != fmt.Sprint(want) {
			t.Errorf("got %v\nwant %v", header, want)
		}

		b := g.QueryWith(http.Header{"X-Request-Id": {"not valid: " + canary}, "Traceparent": {"00-x"}}, "{ deposits { totalCount } }")
		if id := b.Header.Get("X-Request-Id"); id == "" || strings.Contains(id, canary) {
			t.Errorf("request id %q", id)
		}
		if header := g.Box.Calls()[1].Header; header.Get("Traceparent") != "" || header.Get("X-Request-Id") != b.Header.Get("X-Request-Id") {
			t.Errorf("sent %v", header)
		}
	})
}
