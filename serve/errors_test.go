package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
)

// canary is in the bodies and headers of failing responses. No error may contain it.
const canary = "CANARY-7d1f"

// TestFaults tests each row of the table in docs/errors.md, and other faults, with a list, a record by id and a link of
// each service: the affected fields have the code of the fault, and the others succeed. Nothing that the API sent is in
// the errors or the log, and no more calls are made than the retries allow.
func TestFaults(t *testing.T) {
	header := func(after string) http.Header {
		return http.Header{"X-Canary": {canary}, "Retry-After": {after}, "Location": {"/" + canary}}
	}
	failing := func(status int, after string) sandbox.Fault {
		return sandbox.Fault{Status: status, Header: header(after), Body: []byte(`{"message":"` + canary + `"}`)}
	}
	sending := func(kind sandbox.FaultKind) sandbox.Fault { return sandbox.Fault{Kind: kind, Header: header("1")} }
	responding := func(body string) sandbox.Fault { return sandbox.Fault{Header: header("1"), Body: []byte(body)} }
	huge := func(kind sandbox.FaultKind) sandbox.Fault { return sandbox.Fault{Kind: kind, Size: 64 << 20} }
	once := func(f sandbox.Fault) sandbox.Fault { f.Times = 1; return f }
	const ok, timeout, unavailable = "", "UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE"
	const failed, invalid, limited = "UPSTREAM_ERROR", "UPSTREAM_INVALID_RESPONSE", "RATE_LIMITED"
	for _, tt := range []faultRow{
		{"latency", sandbox.Fault{Latency: time.Second}, ok, false, 0, "VERIFIED", 1},
		{"another media type", sandbox.Fault{ContentType: "text/html"}, ok, false, 0, "VERIFIED", 1},
		{"401", failing(401, "3600"), "UNAUTHENTICATED", false, 401, "UNAVAILABLE", 1},
		{"403", failing(403, "3600"), "FORBIDDEN", false, 403, "FORBIDDEN", 1},
		{"404", failing(404, "3600"), "NOT_FOUND", false, 404, "NOT_FOUND", 1},
		{"422", failing(422, "3600"), "BAD_USER_INPUT", false, 422, "NOT_FOUND", 1},
		{"429 with a Retry-After beyond the deadline", failing(429, "3600"), limited, true, 429, "UNAVAILABLE", 1},
		{"429 for one call", once(failing(429, "1")), ok, false, 0, "VERIFIED", 2},
		{"500", failing(500, "1"), failed, true, 500, "UNAVAILABLE", 1},
		{"502", failing(502, "1"), failed, true, 502, "UNAVAILABLE", 2},
		{"502 for one call", once(failing(502, "1")), ok, false, 0, "VERIFIED", 2},
		{"503", failing(503, "1"), failed, true, 503, "UNAVAILABLE", 2},
		{"503 with a Retry-After beyond the deadline", failing(503, "3600"), failed, true, 503, "UNAVAILABLE", 1},
		{"503 for one call", once(failing(503, "1")), ok, false, 0, "VERIFIED", 2},
		{"504", failing(504, "1"), failed, true, 504, "UNAVAILABLE", 2},
		{"reset", sending(sandbox.FaultReset), unavailable, true, 0, "UNAVAILABLE", 2},
		{"reset of one call", once(sending(sandbox.FaultReset)), ok, false, 0, "VERIFIED", 2},
		{"reset in the body", sending(sandbox.FaultResetBody), unavailable, true, 0, "UNAVAILABLE", 2},
		{"truncated", sending(sandbox.FaultTruncate), unavailable, true, 0, "UNAVAILABLE", 2},
		{"hang", sending(sandbox.FaultHang), timeout, true, 0, "UNAVAILABLE", 1},
		{"hang in the body", sending(sandbox.FaultHangBody), timeout, true, 0, "UNAVAILABLE", 1},
		{"drip", sandbox.Fault{Kind: sandbox.FaultDrip, Interval: time.Second}, timeout, true, 0, "UNAVAILABLE", 1},
		{"HTML with 200", responding("<html>" + canary), invalid, false, 0, "UNAVAILABLE", 1},
		{"HTML of the sandbox", sending(sandbox.FaultHTML), invalid, false, 0, "UNAVAILABLE", 1},
		{"empty", sending(sandbox.FaultEmpty), invalid, false, 0, "UNAVAILABLE", 1},
		{"truncated JSON", responding(`{"id":"` + canary), invalid, false, 0, "UNAVAILABLE", 1},
		{"invalid JSON", sending(sandbox.FaultBadJSON), invalid, false, 0, "UNAVAILABLE", 1},
		{"another JSON value", responding(`["` + canary + `"]`), invalid, false, 0, "UNAVAILABLE", 1},
		{"a record of another id", responding(`{"id":"` + canary + `","data":[{"id":"x"}]}`), invalid, false, 0, "UNAVAILABLE", 1},
		{"above the size limit", huge(sandbox.FaultHuge), invalid, false, 0, "UNAVAILABLE", 1},
		{"gzip bomb", huge(sandbox.FaultGzipBomb), invalid, false, 0, "UNAVAILABLE", 1},
		{"redirect", failing(302, "1"), invalid, false, 302, "UNAVAILABLE", 1},
		{"redirect to another port", sandbox.Fault{Kind: sandbox.FaultRedirect}, invalid, false, 302, "UNAVAILABLE", 1},
		{"no content", failing(204, "1"), invalid, false, 204, "UNAVAILABLE", 1},
	} {
		bubble(t, tt.name, tt.test)
	}
}

// faultRow is a fault, and what the affected fields have.
type faultRow struct {
	name      string
	fault     sandbox.Fault
	code      string // "" for a value
	retryable bool
	status    int    // in the error; 0 for none
	link      string // the state of a link
	calls     int    // for each field
}

func (row faultRow) test(t *testing.T) {
	g := start(t, small, func(o *options) { o.Upstream.MaxBody = 1 << 20 })
	l, ids := g.linked(), g.transactionIDs(2)
	if row.fault.Kind == sandbox.FaultRedirect {
		row.fault.Location = g.Network.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Error("a call followed a redirect")
		})) + "/" + canary
	}
	// Not affected are the deposits, the other notification and the other transaction.
	affected := []string{"/withdrawal", ids[0], ids[1], l.known, l.inMetadata}
	for _, end := range affected {
		fault := row.fault
		fault.Match = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, end) }
		defer g.Box.Inject(fault)()
	}
	const document = `query($t: ID!, $lookup: ID!, $n: ID!, $link: ID!) {
		withdrawals { nodes { id } } transaction(id: $t) { id notifications { links { state } } } lookup: transaction(id: $lookup) { id }
		notification(id: $n) { id } linked: notification(id: $link) { id transaction { id } }
		good: deposits(perPage: 1) { nodes { id } } }`
	a := g.Query(document, variables{"t": l.transaction, "lookup": ids[1], "n": l.known, "link": l.other})
	for _, field := range []struct {
		service string
		path    []any
	}{
		{"core", []any{"withdrawals"}}, {"core", []any{"lookup"}},
		{"core", []any{"linked", "transaction"}}, {"dispatcher", []any{"notification"}},
	} {
		row.wantField(a, field.service, field.path)
	}
	if row.code == "" {
		a.WantOK()
	}
	if state := a.Text("transaction", "notifications", "links", 0, "state"); state != row.link {
		t.Errorf("the link is %s, want %s", state, row.link)
	}
	if a.At("good") == nil || a.Text("linked", "id") != l.other || a.Text("transaction", "id") != l.transaction {
		t.Errorf("a field without a fault failed: %s", a.Body)
	}
	calls := strings.Join(g.Calls(), "\n") + "\n"
	for _, end := range affected {
		if n := strings.Count(calls, end+"\n"); n != row.calls {
			t.Errorf("%d calls of %s, want %d: %s", n, end, row.calls, calls)
		}
	}
	g.wantNoLeak(a)
}

// wantField checks the error of an affected field.
func (row faultRow) wantField(a response, service string, path []any) {
	t := a.T
	if value := a.At(path...); (value == nil) != (row.code != "") {
		t.Errorf("%v is %v", path, value)
	}
	code := row.code
	switch {
	case code == "", row.name == "404" && len(path) == 2:
		return // a link to an unknown record is null without an error
	case row.name == "404" && path[0] == "withdrawals":
		code = "UPSTREAM_INVALID_RESPONSE" // a list always exists
	}
	ext := a.WantError(code, path...).Extensions
	if ext["service"] != service || ext["retryable"] != row.retryable || ext["requestId"] != a.Header.Get("X-Request-Id") {
		t.Errorf("%v: %v", path, ext)
	}
	if status, ok := ext["upstreamStatus"]; ok != (row.status != 0) || ok && fmt.Sprint(status) != fmt.Sprint(row.status) {
		t.Errorf("%v: upstreamStatus %v, want %v", path, ext["upstreamStatus"], row.status)
	}
	if after := ext["retryAfterMs"]; row.status == 429 && fmt.Sprint(after) != "3600000" {
		t.Errorf("%v: retryAfterMs %v", path, after)
	}
	if scope := ext["requiredScope"]; (scope != nil) != (row.status == 403 && service == "dispatcher") {
		t.Errorf("%v: requiredScope %v", path, scope)
	}
}

// wantNoLeak fails the test if the response contains an address, or the response or the log contain the canary or the
// token.
func (g *gateway) wantNoLeak(a response) {
	g.T.Helper()
	shown := string(a.Body) + fmt.Sprint(a.Header)
	host := strings.TrimSuffix(strings.TrimPrefix(g.Box.CoreURL(), "http://"), "/core/v1")
	other := strings.TrimSuffix(strings.TrimPrefix(g.Box.DispatcherURL(), "http://"), "/dispatcher/v1")
	for _, secret := range []string{canary, g.Token, host, other, "/core/v1", "/dispatcher/v1", "127.0.0.1", "goroutine", ".go:"} {
		if strings.Contains(shown, secret) {
			g.T.Errorf("the response contains %q: %s", secret, shown)
		}
	}
	logs := g.Log.String()
	for _, secret := range []string{canary, g.Token, strings.Split(g.Token, ".")[1]} {
		if strings.Contains(logs, secret) {
			g.T.Errorf("the log contains %q", secret)
		}
	}
}

// TestRefusedConnection: a service that is down is UPSTREAM_UNAVAILABLE, without its address.
func TestRefusedConnection(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		document := fmt.Sprintf("{ transaction(id: %q) { id } }", g.transactionIDs(1)[0])
		g.Query(document).WantOK()
		must(t, g.Box.Close())
		a := g.Query(document)
		a.WantError("UPSTREAM_UNAVAILABLE", "transaction")
		g.wantNoLeak(a)
	})
}

// TestUnauthenticated: a request without a valid token gets 401, a challenge and a GraphQL error, and makes no calls.
func TestUnauthenticated(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		for name, header := range map[string]http.Header{
			"without a token":  {"Authorization": nil},
			"another scheme":   {"Authorization": {"Basic " + canary}},
			"an invalid token": {"Authorization": {"Bearer " + canary + ".x.y"}},
			"two tokens":       {"Authorization": {"Bearer " + g.Token, "Bearer " + g.Token}},
		} {
			g.row(name, func(t testing.TB, g *gateway) {
				a := g.QueryWith(header, "{ deposits { totalCount } }")
				if a.Status != http.StatusUnauthorized || !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer ") {
					t.Errorf("status %d, challenge %q", a.Status, a.Header.Get("WWW-Authenticate"))
				}
				if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || strings.Contains(string(a.Body), `"data"`) {
					t.Errorf("%s", a.Body)
				}
				g.wantNoLeak(a)
			})
		}
		g.WantNoCalls()
	})
}

// TestIssuerDown: without the issuer's keys the status is 503, not 401, because the token may be valid.
func TestIssuerDown(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.Box.Issuer().SetDown(true)
		a := g.Query("{ deposits { totalCount } }")
		if a.WantError("UPSTREAM_UNAVAILABLE"); a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("status %d, %s", a.Status, a.Body)
		}
	})
}

// TestErrorsByPosition: each error of a list of records has the index of its id.
func TestErrorsByPosition(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		ids := g.transactionIDs(3)
		g.Box.Inject(sandbox.Fault{ID: ids[1], Status: 500})
		a := g.Query("query($ids: [ID!]!) { transactions(ids: $ids) { id } }",
			variables{"ids": []string{ids[0], "nonsense", ids[1], "00000000-0000-4000-8000-000000000000", ids[2]}})
		a.WantError("BAD_USER_INPUT", "transactions", 1)
		a.WantError("UPSTREAM_ERROR", "transactions", 2)
		a.WantError("NOT_FOUND", "transactions", 3)
		if len(a.Errors) != 3 || a.Text("transactions", 0, "id") != ids[0] || a.Text("transactions", 4, "id") != ids[2] {
			t.Errorf("%s", a.Body)
		}
		g.WantCalls(4, g.Token)
	})
}
