package serve_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/graph/guard/limits"
)

// TestHeaders: a response of up to 2 KiB has eight headers that the gateway sets, which net/http's map holds in one
// group; net/http adds Content-Length and Date. A longer one has its length too.
func TestHeaders(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const around = len(`{"data":{"":"Query"}}`)
		for _, length := range []int{around + 1, 2047, 2048, 2049, 5000} {
			alias := strings.Repeat("a", length-around)
			got := g.QueryWith(http.Header{"Accept-Encoding": {"identity"}}, `{ `+alias+`: __typename }`).WantOK()
			if len(got.Body) != length || got.Header.Get("Content-Length") != strconv.Itoa(length) || len(got.Header) != 10 {
				t.Errorf("%d bytes, want %d: %v", len(got.Body), length, got.Header)
			}
		}
	})
}

// TestRateLimitHeaders: each response says what is left of the caller's bucket and of the address's, also the one that
// rejects a request. Without a limit there is no such header.
func TestRateLimitHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const none = ""
		want := func(got http.Header, policy, state string) {
			t.Helper()
			if text := got.Get("RateLimit-Policy"); text != policy {
				t.Errorf("policy %q, want %q", text, policy)
			}
			if text := got.Get("RateLimit"); !regexp.MustCompile("^" + state + "$").MatchString(text) {
				t.Errorf("state %q, want %q", text, state)
			}
		}
		const query = `{ deposits { nodes { id } } withdrawals { nodes { id } } }` // two calls
		want(start(t).Query(query).WantOK().Header, none, none)

		g := start(t, func(o *options) { o.Serve.Limits.Rate.PerIdentity = limits.Rate{PerSecond: 0.001, Burst: 5} })
		const caller = `"caller";q=5;w=5000;qu="upstream-calls"`
		want(g.Query(query).WantOK().Header, caller, `"caller";r=3;t=(2000|1[0-9]{3})`)
		want(g.Query(`{ deposits { nodes { id } } a: deposits(page: 2) { nodes { id } } }`).WantOK().Header, caller, `"caller";r=1;t=(4000|3[0-9]{3})`)
		want(g.Query(`{ __typename `).Header, caller, `"caller";r=0;t=(5000|4[0-9]{3})`) // costs a request
		if got := g.Query(query); got.Status == http.StatusTooManyRequests {
			want(got.Header, caller, `"caller";r=0;t=(5000|4[0-9]{3})`)
		} else {
			t.Errorf("status %d", got.Status)
		}

		both := start(t, func(o *options) {
			o.Serve.Limits.Rate.PerIdentity = limits.Rate{PerSecond: 0.001, Burst: 5}
			o.Serve.Limits.Rate.PerAddress = limits.Rate{PerSecond: 0.01, Burst: 10}
		})
		want(both.Query(query).WantOK().Header, caller+`, "address";q=10;w=1000;qu="upstream-calls"`,
			`"caller";r=3;t=(2000|1[0-9]{3}), "address";r=8;t=(200|1[0-9]{2})`)
	})
}

// TestOtherPaths: an operation at another path gets an error in JSON that names the endpoint, and not the path. The
// endpoint may be named with a slash at the end.
func TestOtherPaths(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const operation = `{"query":"{ deposits { totalCount } }"}`
		for path, want := range map[string]string{
			"/": "404 ", "/schema.graphql": "405 GET, HEAD", "/query": "404 ", "/graphql/x": "404 ", "//graphql": "404 ", "/graphql%2F": "404 ",
		} {
			a := g.Send(g.request(http.MethodPost, path, operation), http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}})
			if got := fmt.Sprint(a.Status, " ", a.Header.Get("Allow")); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
			a.WantError("BAD_REQUEST")
			if text := string(a.Body); !strings.Contains(text, "the GraphQL endpoint is /graphql\"") {
				t.Errorf("%s: %s", path, text)
			}
		}
		g.WantNoCalls()
		g.Send(g.request(http.MethodPost, "/graphql/", operation), http.Header{"Content-Type": {"application/json"}}).WantOK()
		g.WantCalls(1, g.Token)
	})
}
