package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
)

// faultCase is a query that calls a route of the APIs.
type faultCase struct {
	name, route string
	query       string
	path        []any // of the field that the fault affects
	good        []any // of another field
}

// faultCases are a list, a record by id, and a link, of each API. The dispatcher has no lists.
var faultCases = []faultCase{
	{
		name: "core list", route: sandbox.RouteDeposit, path: []any{"bad"}, good: []any{"good", "totalCount"},
		query: `query($t: ID!, $n: ID!) { bad: deposits { totalCount } good: withdrawals { totalCount }
			a: transaction(id: $t) { id } b: notification(id: $n) { id } }`,
	},
	{
		name: "core lookup", route: sandbox.RouteTransaction, path: []any{"bad"}, good: []any{"good", "totalCount"},
		query: `query($t: ID!, $n: ID!) { bad: transaction(id: $t) { id } good: withdrawals { totalCount } b: notification(id: $n) { id } }`,
	},
	{
		name: "core link", route: sandbox.RouteTransaction, path: []any{"holder", "bad"}, good: []any{"holder", "id"},
		query: `query($n: ID!) { holder: notification(id: $n) { id bad: transaction { id } } }`,
	},
	{
		name: "dispatcher lookup", route: sandbox.RouteNotification, path: []any{"bad"}, good: []any{"good", "id"},
		query: `query($t: ID!, $n: ID!) { bad: notification(id: $n) { id } good: transaction(id: $t) { id } }`,
	},
	{
		name: "dispatcher link", route: sandbox.RouteNotification, path: []any{"holder", "bad"}, good: []any{"holder", "id"},
		query: `query($t: ID!, $n: ID!) { holder: transaction(id: $t) { id bad: notifications(ids: [$n]) { links { state } } } }`,
	},
}

// faultCanary is in the bodies and headers of failing APIs. No response or log may contain it.
const faultCanary = "canary-8f3a"

// TestFaultMatrix tests each fault with each query: the affected field has the code of the fault, the other fields succeed,
// nothing that the API sent is in the response or the log, and no more calls are made than the retries allow.
func TestFaultMatrix(t *testing.T) {
	const (
		failed, unavailable, late = "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"
		invalid, limited, ok      = "UPSTREAM_INVALID_RESPONSE", "RATE_LIMITED", ""
	)
	responding := func(status int, header ...string) sandbox.Fault {
		f := sandbox.Fault{Status: status, Body: []byte(`{"message":"` + faultCanary + `"}`), Header: http.Header{}}
		for i := 0; i < len(header); i += 2 {
			f.Header.Set(header[i], header[i+1])
		}
		return f
	}
	once := func(f sandbox.Fault) sandbox.Fault { f.Times = 1; return f }
	tests := []struct {
		name  string
		fault sandbox.Fault
		code  string
		calls int
	}{
		{"latency", sandbox.Fault{Latency: 20 * time.Millisecond}, ok, 1},
		{"500", responding(500), failed, 1},
		{"502", responding(502), failed, 2},
		{"502 for one call", once(responding(502)), ok, 2},
		{"503", responding(503), failed, 2},
		{"503 for one call, with Retry-After", once(responding(503, "Retry-After", "1")), ok, 2},
		{"429 with a Retry-After beyond the deadline", responding(429, "Retry-After", "3600"), limited, 1},
		{"429 for one call, with Retry-After", once(responding(429, "Retry-After", "1")), ok, 2},
		{"reset before the body", sandbox.Fault{Kind: sandbox.FaultReset}, unavailable, 2},
		{"reset of one call", sandbox.Fault{Kind: sandbox.FaultReset, Times: 1}, ok, 2},
		{"reset in the body", sandbox.Fault{Kind: sandbox.FaultResetBody}, unavailable, 2},
		{"hang before the body", sandbox.Fault{Kind: sandbox.FaultHang}, late, 1},
		{"hang in the body", sandbox.Fault{Kind: sandbox.FaultHangBody}, late, 1},
		{"a slow body", sandbox.Fault{Kind: sandbox.FaultDrip, Interval: time.Second}, late, 1},
		{"a truncated body", sandbox.Fault{Kind: sandbox.FaultTruncate}, unavailable, 2},
		{"an empty body", sandbox.Fault{Kind: sandbox.FaultEmpty}, invalid, 1},
		{"HTML with 200", sandbox.Fault{Kind: sandbox.FaultHTML}, invalid, 1},
		{"another media type", sandbox.Fault{ContentType: "text/html"}, ok, 1},
		{"another JSON value", sandbox.Fault{Body: []byte(`["` + faultCanary + `"]`)}, invalid, 1},
		{"a huge body", sandbox.Fault{Kind: sandbox.FaultHuge, Size: 4 << 20}, invalid, 1},
		{"a gzip bomb", sandbox.Fault{Kind: sandbox.FaultGzipBomb, Size: 64 << 20}, invalid, 1},
		{"invalid JSON", sandbox.Fault{Kind: sandbox.FaultBadJSON}, invalid, 1},
		{"a redirect to another port", sandbox.Fault{Kind: sandbox.FaultRedirect}, invalid, 1},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			var redirected atomic.Int32
			g := start(t, func(o *options) {
				o.Upstream.MaxBody = 1 << 20
				o.Pipeline.MetadataPointer = nil
			})
			if tt.fault.Kind == sandbox.FaultRedirect {
				tt.fault.Location = g.Network.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Add(1) })) + "/" + faultCanary
			}
			ids := variables{"n": g.notificationsOf(t, 1, 1)[0], "t": g.transactionIDs(1)[0]}
			for _, c := range faultCases {
				g.wantFault(c, tt.fault, tt.code, tt.calls, ids)
			}
			if n := redirected.Load(); n > 0 {
				t.Errorf("%d calls followed a redirect", n)
			}
		})
	}
}

// wantFault runs a query under a fault and fails the test unless it has the code and makes the given number of calls.
func (g *gateway) wantFault(c faultCase, fault sandbox.Fault, code string, calls int, ids variables) {
	t := g.T
	defer func() {
		if t.Failed() {
			t.Logf("in %s", c.name)
		}
	}()
	fault.Route = c.route
	if fault.Header == nil {
		fault.Header = http.Header{}
	}
	fault.Header.Set("X-Canary", faultCanary)
	defer g.Box.Inject(fault)()
	g.Box.ResetCalls()
	g.Token = g.Box.Token() // it has not learned any links
	a := g.Query(c.query, ids)
	if code == "" {
		if a.At(c.path...) == nil || len(a.Errors) > 0 {
			t.Errorf("%s", a.Body)
		}
	} else {
		err := a.WantError(code, c.path...)
		if len(a.Errors) != 1 || a.At(c.path...) != nil || err.Extensions["service"] != strings.Fields(c.name)[0] {
			t.Errorf("%v", a.Errors)
		}
	}
	if a.At(c.good...) == nil {
		t.Errorf("the other field failed: %s", a.Body)
	}
	segment, n := strings.Replace(c.route, sandbox.RouteNotification, "request", 1), 0
	for _, call := range g.Calls() {
		if strings.Contains(call, "/"+segment) {
			n++
		}
	}
	if n != calls {
		t.Errorf("%d calls, want %d: %v", n, calls, g.Calls())
	}
	shown := string(a.Body) + fmt.Sprint(a.Header)
	for _, secret := range []string{faultCanary, g.Token} {
		if strings.Contains(shown+g.Log.String(), secret) {
			t.Errorf("the response or the log contains %q", secret)
		}
	}
	if strings.Contains(shown, "127.0.0.1") || strings.Contains(shown, "localhost") {
		t.Errorf("the response contains an address: %s", shown)
	}
}
