package hostile

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// Marker strings: echo in requests, which no response may repeat, and canary in responses of the sandbox.
const (
	echo   = "ECHO-9c2e"
	canary = "CANARY-41ab"
)

// The codes of extensions.code.
const (
	badRequest = "BAD_REQUEST"
	limit      = "LIMIT_EXCEEDED"
	parse      = "GRAPHQL_PARSE_FAILED"
	invalid    = "GRAPHQL_VALIDATION_FAILED"
	input      = "BAD_USER_INPUT"
	refused    = "UNAUTHENTICATED"
	later      = "UPSTREAM_UNAVAILABLE"
	forbidden  = "FORBIDDEN"
)

// row is a request and its expected response. Without a code there must be data and no errors. With a code there must
// be no data, and no upstream call.
type row struct {
	name   string
	send   request
	status int
	code   string // of the first error
	limit  string // the limit, if the code is LIMIT_EXCEEDED

	partial bool // there is data in addition to the errors
	calls   bool // upstream calls are allowed before the errors
	plain   bool // the response is not GraphQL: from net/http, the mux, or a page
	newKey  bool // the token names an unknown key: 503 if the issuer's keys were fetched moments ago

	has, lacks []string // what the header or the body must contain, and must not contain
}

// maxBody is the maximum size of the response to a hostile request, in bytes.
const maxBody = 20_000

// wantRows sends the requests of a group, and then a normal query.
func (g *gateway) wantRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { g.wantRow(t, r) })
	}
	g.wantResponse(t)
}

// wantRow sends a request and checks its response against the row, and against the rules for every response.
func (g *gateway) wantRow(t *testing.T, r row) {
	t.Helper()
	calls := g.calls()
	got := r.send(t, g)
	if r.newKey && got.status == http.StatusServiceUnavailable {
		r.status, r.code, r.has = got.status, later, []string{"Retry-After"}
	}
	if got.status != r.status {
		t.Errorf("status %d, want %d: %.500s", got.status, r.status, got.body)
	}
	for _, text := range r.has {
		if !strings.Contains(got.head, text) && !strings.Contains(got.body, text) {
			t.Errorf("no %q in %s%.1000s", text, got.head, got.body)
		}
	}
	never := append(g.secrets(), echo, "goroutine ", ".go:", "panic", "Set-Cookie")
	for _, text := range append(never, r.lacks...) {
		if strings.Contains(got.head, text) || strings.Contains(got.body, text) {
			t.Errorf("unexpected %q in %s%.1000s", text, got.head, got.body)
		}
	}
	if len(got.body) > maxBody {
		t.Errorf("a response of %d bytes", len(got.body))
	}
	if (r.code != "" || r.plain) && !r.calls && g.calls() != calls {
		t.Errorf("%d upstream calls", g.calls()-calls)
	}
	if !r.plain {
		r.wantGraphQL(t, got)
		wantSecurityHeaders(t, got.header)
	}
}

// answer is a GraphQL response.
type answer struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Extensions struct {
			Code, Limit, RequestID string
			Value                  int
		}
	}
}

// wantGraphQL checks the data and errors of a response against the row.
func (r row) wantGraphQL(t *testing.T, got reply) {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(got.body), &a); err != nil || !utf8.ValidString(got.body) {
		t.Fatalf("the response is not JSON: %v: %.500q", err, got.body)
	}
	if r.code == "" {
		if len(a.Errors) > 0 || len(a.Data) == 0 || string(a.Data) == "null" {
			t.Errorf("want data and no errors: %.500s", got.body)
		}
		return
	}
	if len(a.Errors) == 0 {
		t.Fatalf("want %s: %.500s", r.code, got.body)
	}
	if len(a.Data) > 0 && !r.partial {
		t.Errorf("data with %s: %.500s", r.code, got.body)
	}
	first := a.Errors[0].Extensions
	if first.Code != r.code || first.Limit != r.limit || (first.Value > 0) != (r.limit != "") {
		t.Errorf("code %s, limit %q of %d, want %s %q: %.500s", first.Code, first.Limit, first.Value, r.code, r.limit, got.body)
	}
	for _, err := range a.Errors {
		if err.Extensions.RequestID == "" || err.Extensions.RequestID != got.header.Get("X-Request-Id") {
			t.Errorf("an error without the request id: %.500s", got.body)
		}
		if err.Extensions.Code == "INTERNAL" {
			t.Errorf("an internal error: %.500s", got.body)
		}
	}
}

// wantSecurityHeaders fails the test if a response lacks a security header for browsers.
func wantSecurityHeaders(t *testing.T, header http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if header.Get("Content-Security-Policy") == "" || header.Get("X-Request-Id") == "" {
		t.Errorf("header %v", header)
	}
}
