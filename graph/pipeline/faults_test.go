package pipeline_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/internal/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// faultCell is a way to a route of the APIs: the query that goes there, and where its answer is.
type faultCell struct {
	name, route string
	query       string
	path        []any  // of the field that the fault is about
	good        []any  // of one beside it
	state       string // of a link that is no error: where its state is told instead
}

// faultCells are the ways to a list, to a record by id, and along a link, of each API. The dispatcher has no lists.
var faultCells = []faultCell{
	{
		name: "core list", route: sandbox.RouteDeposit, path: []any{"bad"}, good: []any{"good", "totalCount"},
		query: `query($t: ID!, $n: ID!) { bad: deposits { totalCount } good: withdrawals { totalCount } a: transaction(id: $t) { id } b: notification(id: $n) { id } }`,
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
		name: "dispatcher link", route: sandbox.RouteNotification, path: []any{"holder", "bad"}, good: []any{"holder", "id"}, state: "UNAVAILABLE",
		query: `query($t: ID!, $n: ID!) { holder: transaction(id: $t) { id bad: notifications(ids: [$n]) { links { state } } } }`,
	},
}

// faultCanary is what failing APIs say: nothing of it may be repeated.
const faultCanary = "canary-8f3a"

// TestFaultMatrix has each API fail in each way, on each way to it: the field has its code and the others are answered,
// nothing that was sent is told, and no more calls are made than the retries allow.
func TestFaultMatrix(t *testing.T) {
	const (
		failed, away, late = "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"
		wrong, limited, ok = "UPSTREAM_INVALID_RESPONSE", "RATE_LIMITED", ""
	)
	var strayed atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(func() {
		elsewhere.Close()
		if n := strayed.Load(); n > 0 {
			t.Errorf("%d calls followed a redirect", n)
		}
	})
	saying := func(status int, header ...string) sandbox.Fault {
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
		{"500", saying(500), failed, 1},
		{"502", saying(502), failed, 2},
		{"502 once", once(saying(502)), ok, 2},
		{"503", saying(503), failed, 2},
		{"503 once, with Retry-After", once(saying(503, "Retry-After", "1")), ok, 2},
		{"429 with a Retry-After beyond the deadline", saying(429, "Retry-After", "3600"), limited, 1},
		{"429 once, with Retry-After", once(saying(429, "Retry-After", "1")), ok, 2},
		{"reset before the body", sandbox.Fault{Kind: sandbox.FaultReset}, away, 2},
		{"reset once", sandbox.Fault{Kind: sandbox.FaultReset, Times: 1}, ok, 2},
		{"reset in the body", sandbox.Fault{Kind: sandbox.FaultResetBody}, away, 2},
		{"hang before the body", sandbox.Fault{Kind: sandbox.FaultHang}, late, 1},
		{"hang in the body", sandbox.Fault{Kind: sandbox.FaultHangBody}, late, 1},
		{"drip", sandbox.Fault{Kind: sandbox.FaultDrip, Interval: 100 * time.Millisecond}, late, 1},
		{"truncate", sandbox.Fault{Kind: sandbox.FaultTruncate}, away, 2},
		{"empty", sandbox.Fault{Kind: sandbox.FaultEmpty}, wrong, 1},
		{"HTML with 200", sandbox.Fault{Kind: sandbox.FaultHTML}, wrong, 1},
		{"another media type", sandbox.Fault{ContentType: "text/html"}, ok, 1},
		{"another type of JSON", sandbox.Fault{Body: []byte(`["` + faultCanary + `"]`)}, wrong, 1},
		{"huge", sandbox.Fault{Kind: sandbox.FaultHuge, Size: 4 << 20}, wrong, 1},
		{"gzip bomb", sandbox.Fault{Kind: sandbox.FaultGzipBomb, Size: 64 << 20}, wrong, 1},
		{"bad JSON", sandbox.Fault{Kind: sandbox.FaultBadJSON}, wrong, 1},
		{"redirect to another port", sandbox.Fault{Kind: sandbox.FaultRedirect, Location: elsewhere.URL + "/" + faultCanary}, wrong, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			begin := func(t *testing.T, timeout time.Duration) (*gateway, variables) {
				g := start(t, func(o *options) {
					o.Upstream.MaxBody = 1 << 20
					o.Upstream.Timeout = timeout
					o.Pipeline.MetadataPointer = nil
				})
				g.warm()
				return g, variables{"n": g.notificationsOf(t, 1, 1)[0], "t": g.transactionIDs(1)[0]}
			}
			if tt.code == late {
				for _, cell := range faultCells {
					t.Run(cell.name, func(t *testing.T) {
						g, ids := begin(t, shortTimeout)
						t.Parallel() // each waits, with a gateway of its own
						g.faulty(t, cell, tt.fault, tt.code, tt.calls, ids)
					})
				}
				return
			}
			g, ids := begin(t, gatewaytest.Timeout)
			t.Parallel() // some pause for a second at each try
			for _, cell := range faultCells {
				t.Run(cell.name, func(t *testing.T) {
					g.faulty(t, cell, tt.fault, tt.code, tt.calls, ids)
				})
			}
		})
	}
}

func (g *gateway) faulty(t *testing.T, cell faultCell, fault sandbox.Fault, code string, calls int, ids variables) {
	fault.Route = cell.route
	if fault.Header == nil {
		fault.Header = http.Header{}
	}
	fault.Header.Set("X-Canary", faultCanary)
	defer g.Box.Inject(fault)()
	g.Box.ResetCalls()
	a := g.Query(cell.query, ids)
	switch {
	case cell.state != "":
		state := cell.state
		if code == "" {
			state = "VERIFIED"
		}
		if got := a.Text(append(cell.path, "links", 0, "state")...); got != state || len(a.Errors) > 0 {
			t.Errorf("the link is %s, want %s; %v", got, state, a.Errors)
		}
	case code == "":
		if a.At(cell.path...) == nil || len(a.Errors) > 0 {
			t.Errorf("%s", a.Body)
		}
	default:
		told := a.WantError(code, cell.path...)
		if len(a.Errors) != 1 || a.At(cell.path...) != nil || told.Extensions["service"] != strings.Fields(cell.name)[0] {
			t.Errorf("%v", a.Errors)
		}
	}
	if a.At(cell.good...) == nil {
		t.Errorf("the field beside it was not answered: %s", a.Body)
	}
	n := 0
	for _, call := range g.Calls() {
		if strings.Contains(call, "/"+cell.route) {
			n++
		}
	}
	if n != calls {
		t.Errorf("%d calls, want %d: %v", n, calls, g.Calls())
	}
	told := string(a.Body) + fmt.Sprint(a.Header)
	for _, secret := range []string{faultCanary, g.Token} {
		if strings.Contains(told+g.Log.String(), secret) {
			t.Errorf("%q is told", secret)
		}
	}
	if strings.Contains(told, "127.0.0.1") || strings.Contains(told, "localhost") {
		t.Errorf("an address is told: %s", told)
	}
}
