package pipeline_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
)

// canary is in the bodies and headers of failing responses. No error may contain it.
const canary = "CANARY-7d1f"

// TestErrorTable tests each row of the table in docs/errors.md with a list, a lookup and a link of each service.
func TestErrorTable(t *testing.T) {
	header := http.Header{"X-Canary": {canary}, "Retry-After": {"3600"}, "Location": {"/" + canary}}
	failing := func(status int) sandbox.Fault {
		return sandbox.Fault{Status: status, Header: header, Body: []byte(`{"message":"` + canary + `"}`)}
	}
	responding := func(body string) sandbox.Fault { return sandbox.Fault{Header: header, Body: []byte(body)} }
	rows := []struct {
		name      string
		fault     sandbox.Fault
		code      string
		retryable bool
		status    int    // in the error; 0 for none
		link      string // the state of a link
	}{
		{"401", failing(401), "UNAUTHENTICATED", false, 401, "UNAVAILABLE"},
		{"403", failing(403), "FORBIDDEN", false, 403, "FORBIDDEN"},
		{"404", failing(404), "NOT_FOUND", false, 404, "NOT_FOUND"},
		{"422", failing(422), "BAD_USER_INPUT", false, 422, "NOT_FOUND"},
		{"429", failing(429), "RATE_LIMITED", true, 429, "UNAVAILABLE"},
		{"500", failing(500), "UPSTREAM_ERROR", true, 500, "UNAVAILABLE"},
		{"502", failing(502), "UPSTREAM_ERROR", true, 502, "UNAVAILABLE"},
		{"503", failing(503), "UPSTREAM_ERROR", true, 503, "UNAVAILABLE"},
		{"504", failing(504), "UPSTREAM_ERROR", true, 504, "UNAVAILABLE"},
		{"reset", sandbox.Fault{Kind: sandbox.FaultReset}, "UPSTREAM_UNAVAILABLE", true, 0, "UNAVAILABLE"},
		{"reset in the body", sandbox.Fault{Kind: sandbox.FaultResetBody, Header: header}, "UPSTREAM_UNAVAILABLE", true, 0, "UNAVAILABLE"},
		{"truncated", sandbox.Fault{Kind: sandbox.FaultTruncate, Header: header}, "UPSTREAM_UNAVAILABLE", true, 0, "UNAVAILABLE"},
		{"hang", sandbox.Fault{Kind: sandbox.FaultHang}, "UPSTREAM_TIMEOUT", true, 0, "UNAVAILABLE"},
		{"hang in the body", sandbox.Fault{Kind: sandbox.FaultHangBody, Header: header}, "UPSTREAM_TIMEOUT", true, 0, "UNAVAILABLE"},
		{"drip", sandbox.Fault{Kind: sandbox.FaultDrip, Interval: time.Second}, "UPSTREAM_TIMEOUT", true, 0, "UNAVAILABLE"},
		{"HTML with 200", responding("<html>" + canary), "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"empty", sandbox.Fault{Kind: sandbox.FaultEmpty}, "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"invalid JSON", responding(`{"id":"` + canary), "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"another JSON value", responding(`["` + canary + `"]`), "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"a record of another id", responding(`{"id":"` + canary + `","data":[{"id":"x"}]}`), "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"above the size limit", sandbox.Fault{Kind: sandbox.FaultHuge, Size: 2 << 20}, "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"gzip bomb", sandbox.Fault{Kind: sandbox.FaultGzipBomb, Size: 2 << 20}, "UPSTREAM_INVALID_RESPONSE", false, 0, "UNAVAILABLE"},
		{"redirect", failing(302), "UPSTREAM_INVALID_RESPONSE", false, 302, "UNAVAILABLE"},
		{"no content", failing(204), "UPSTREAM_INVALID_RESPONSE", false, 204, "UNAVAILABLE"},
	}
	const document = `query($t: ID!, $n: ID!, $link: ID!) {
		withdrawals { nodes { id } } transaction(id: $t) { id notifications { links { state } } }
		notification(id: $n) { id } linked: notification(id: $link) { id transaction { id } }
		good: deposits(perPage: 1) { nodes { id } } }`
	for _, row := range rows {
		bubble(t, row.name, func(t *testing.T) {
			g := start(t, func(o *options) { o.Upstream.MaxBody = 1 << 20 })
			l := g.linked()
			// The fault affects the withdrawals, a notification, the links of a transaction, and the transaction of another
			// notification. It does not affect the deposits, the other notification and the other transaction.
			other := g.transactionIDs(1)[0]
			affected := func(r *http.Request) bool {
				return strings.HasSuffix(r.URL.Path, "/withdrawal") || strings.HasSuffix(r.URL.Path, other) ||
					strings.HasSuffix(r.URL.Path, l.known) || strings.HasSuffix(r.URL.Path, l.inMetadata)
			}
			fault := row.fault
			fault.Match = affected
			defer g.Box.Inject(fault)()
			a := g.Query(document, variables{"t": l.transaction, "n": l.known, "link": l.other})

			listCode := row.code
			if row.name == "404" {
				listCode = "UPSTREAM_INVALID_RESPONSE" // a list always exists
			}
			for path, want := range map[string]struct{ code, service string }{
				"withdrawals": {listCode, "core"}, "notification": {row.code, "dispatcher"}, "linked.transaction": {row.code, "core"},
			} {
				if row.name == "404" && path == "linked.transaction" {
					continue // a link to an unknown record is null without an error
				}
				var steps []any
				for step := range strings.SplitSeq(path, ".") {
					steps = append(steps, step)
				}
				err := a.WantError(want.code, steps...)
				ext := err.Extensions
				if ext["service"] != want.service || ext["retryable"] != row.retryable || ext["requestId"] != a.Header.Get("X-Request-Id") {
					t.Errorf("%s: %v", path, ext)
				}
				if status, ok := ext["upstreamStatus"]; ok != (row.status != 0) || ok && fmt.Sprint(status) != fmt.Sprint(row.status) {
					t.Errorf("%s: upstreamStatus %v, want %v", path, ext["upstreamStatus"], row.status)
				}
				if after := ext["retryAfterMs"]; row.name == "429" && fmt.Sprint(after) != "3600000" {
					t.Errorf("%s: retryAfterMs %v", path, after)
				}
				if scope := ext["requiredScope"]; (scope != nil) != (row.name == "403" && want.service == "dispatcher") {
					t.Errorf("%s: requiredScope %v", path, scope)
				}
			}
			if a.At("linked", "transaction") != nil || a.At("notification") != nil || a.At("withdrawals") != nil {
				t.Error("a failed field is not null")
			}
			if state := a.Text("transaction", "notifications", "links", 0, "state"); state != row.link {
				t.Errorf("the link is %s, want %s", state, row.link)
			}
			if a.At("good") == nil || a.Text("linked", "id") != l.other || a.Text("transaction", "id") != l.transaction {
				t.Errorf("a field without a fault failed: %s", a.Body)
			}
			g.wantNoLeak(a)
		})
	}
}

// wantNoLeak fails the test if the errors contain an address, or the errors or the log contain the canary or the token.
func (g *gateway) wantNoLeak(a response) {
	g.T.Helper()
	errors, err := json.Marshal(a.Errors)
	must(g.T, err)
	host := strings.TrimSuffix(strings.TrimPrefix(g.Box.CoreURL(), "http://"), "/core/v1")
	other := strings.TrimSuffix(strings.TrimPrefix(g.Box.DispatcherURL(), "http://"), "/dispatcher/v1")
	for _, secret := range []string{canary, g.Token, host, other, "/core/v1", "/dispatcher/v1", "goroutine", ".go:"} {
		if strings.Contains(string(errors), secret) {
			g.T.Errorf("the errors contain %q: %s", secret, errors)
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
	g := start(t)
	document := fmt.Sprintf("{ transaction(id: %q) { id } }", g.transactionIDs(1)[0])
	g.Query(document).WantOK()
	must(t, g.Box.Close())
	a := g.Query(document)
	a.WantError("UPSTREAM_UNAVAILABLE", "transaction")
	g.wantNoLeak(a)
}

// TestUnauthenticated: a request without a valid token gets 401, a challenge and a GraphQL error, and makes no calls.
func TestUnauthenticated(t *testing.T) {
	g := start(t)
	for name, header := range map[string]http.Header{
		"without a token":  {"Authorization": nil},
		"another scheme":   {"Authorization": {"Basic " + canary}},
		"an invalid token": {"Authorization": {"Bearer " + canary + ".x.y"}},
		"two tokens":       {"Authorization": {"Bearer " + g.Token, "Bearer " + g.Token}},
	} {
		t.Run(name, func(t *testing.T) {
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
}

// TestIssuerDown: without the issuer's keys the status is 503, not 401, because the token may be valid.
func TestIssuerDown(t *testing.T) {
	g := start(t)
	g.Box.Issuer().SetDown(true)
	a := g.Query("{ deposits { totalCount } }")
	if a.WantError("UPSTREAM_UNAVAILABLE"); a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, %s", a.Status, a.Body)
	}
}

// TestErrorsByPosition: each error of a list of records has the index of its id.
func TestErrorsByPosition(t *testing.T) {
	g := start(t)
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
}
