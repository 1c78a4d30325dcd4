package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// TestCallersDoNotMix lets callers ask for the same records at the same time. The API answers each with a record that
// names the caller: whoever sees another's name has seen another's data. It does so with calls shared, where one caller's
// are, and with none.
func TestCallersDoNotMix(t *testing.T) {
	for _, shared := range []bool{true, false} {
		t.Run(fmt.Sprintf("calls are shared: %v", shared), func(t *testing.T) { callersDoNotMix(t, shared) })
	}
}

func callersDoNotMix(t *testing.T, shared bool) {
	const callers, rounds = 8, 12
	g := start(t, func(o *options) { o.Upstream.Coalesce = shared })
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
	g.Query("{ __typename }").WantOK() // so that no request has to wait for the keys
	const document = `query($t: ID!, $n: ID!) { transaction(id: $t) { acquirer notifications { nodes { tenant transaction { acquirer } } } }
		notification(id: $n) { tenant transaction { acquirer } } }`

	answers := make([][]response, callers)
	var wait sync.WaitGroup
	for caller := range callers {
		answers[caller] = make([]response, rounds)
		for round := range rounds {
			wait.Go(func() {
				answers[caller][round] = g.QueryAs(tokens[caller], document, variables{"t": l.transaction, "n": l.known})
			})
		}
	}
	wait.Wait()
	for caller := range callers {
		me := fmt.Sprintf("caller-%d", caller)
		for _, a := range answers[caller] {
			a.WantOK()
			if got := strings.Count(string(a.Body), me); got != 5 || strings.Count(string(a.Body), "caller-") != 5 {
				t.Fatalf("%s was answered %s", me, a.Body)
			}
		}
	}
	perToken := map[string]int{}
	for _, call := range g.Box.Calls() {
		perToken[call.Header.Get("Authorization")]++
	}
	for i, token := range tokens {
		// the transaction, and three notifications: the two of its metadata, of which one is stale, and the known one
		const each = 4
		least := each * rounds
		if shared {
			least = each
		}
		if calls := perToken["Bearer "+token]; calls < least || calls > each*rounds {
			t.Errorf("caller %d made %d calls, want %d to %d", i, calls, least, each*rounds)
		}
	}
}

// TestOnlyTheTokenIsForwarded: of the inbound header the APIs see the token, the request id and the trace context.
func TestOnlyTheTokenIsForwarded(t *testing.T) {
	g := start(t)
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
		t.Errorf("sent %v\nwant %v", header, want)
	}

	b := g.QueryWith(http.Header{"X-Request-Id": {"no good: " + canary}, "Traceparent": {"00-x"}}, "{ deposits { totalCount } }")
	if id := b.Header.Get("X-Request-Id"); id == "" || strings.Contains(id, canary) {
		t.Errorf("request id %q", id)
	}
	if header := g.Box.Calls()[1].Header; header.Get("Traceparent") != "" || header.Get("X-Request-Id") != b.Header.Get("X-Request-Id") {
		t.Errorf("sent %v", header)
	}
}
