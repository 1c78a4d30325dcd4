package sandbox_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
)

// control sends a request to the control route.
func control(t *testing.T, s *sandbox.Sandbox, method, path, body string, change func(*http.Request)) reply {
	t.Helper()
	root := strings.TrimSuffix(s.CoreURL(), "/core/v1")
	req, err := http.NewRequestWithContext(t.Context(), method, root+"/_sandbox/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	got, err := roundTrip(newClient(), req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func TestControlFaults(t *testing.T) {
	s := start(t, sandbox.Config{Records: 50})
	got := control(t, s, http.MethodPost, "faults",
		`{"service":"core","route":"deposit","status":503,"times":1,"latency":"1ms","header":{"retry-after":["3"]},"body":"{}","contentType":"text/plain"}`, nil)
	if got.status != http.StatusCreated {
		t.Fatalf("status %d, body %s", got.status, got.body)
	}
	broken := get(t, s, s.CoreURL()+"/deposit")
	if broken.status != 503 || broken.header.Get("Retry-After") != "3" || string(broken.body) != "{}" || broken.header.Get("Content-Type") != "text/plain" {
		t.Errorf("status %d, header %v, body %q", broken.status, broken.header, broken.body)
	}
	if got := get(t, s, s.CoreURL()+"/deposit").status; got != 200 {
		t.Errorf("status %d after times is used up", got)
	}

	control(t, s, http.MethodPost, "faults", `{"kind":"empty"}`, nil)
	if got := get(t, s, s.CoreURL()+"/withdrawal"); len(got.body) != 0 {
		t.Error("the fault does not affect a call")
	}
	if got := control(t, s, http.MethodDelete, "faults", "", nil); got.status != http.StatusNoContent {
		t.Errorf("status %d", got.status)
	}
	if got := get(t, s, s.CoreURL()+"/withdrawal"); len(got.body) == 0 {
		t.Error("the fault still applies after its removal")
	}
}

func TestControlRejectsFaults(t *testing.T) {
	s := start(t, sandbox.Config{Records: 50})
	tests := []struct{ name, body string }{
		{"not JSON", `x`},
		{"nothing", ``},
		{"misspelt member", `{"rout":"deposit"}`},
		{"two values", `{"route":"deposit"}{}`},
		{"unknown kind", `{"kind":"boom"}`},
		{"latency without a unit", `{"latency":"100"}`},
		{"negative interval", `{"interval":"-1s"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := control(t, s, http.MethodPost, "faults", tt.body, nil); got.status != http.StatusBadRequest {
				t.Errorf("status %d, want 400", got.status)
			}
		})
	}
	if got := get(t, s, s.CoreURL()+"/deposit").status; got != 200 {
		t.Errorf("status %d: a rejected fault affects calls", got)
	}
}

func TestControlCalls(t *testing.T) {
	s := start(t, sandbox.Config{Records: 50})
	token := s.Token()
	if _, err := fetch(t.Context(), newClient(), token, s.CoreURL()+"/deposit?page=2"); err != nil {
		t.Fatal(err)
	}
	got := control(t, s, http.MethodGet, "calls", "", nil)
	var list struct {
		Calls []struct {
			Service, Method, Path, Query, BearerSHA256 string
			Status                                     int
			StartedAt, EndedAt                         string
		}
	}
	if err := json.Unmarshal(got.body, &list); err != nil || len(list.Calls) != 1 {
		t.Fatalf("body %s, error %v", got.body, err)
	}
	sum := sha256.Sum256([]byte(token))
	c := list.Calls[0]
	if c.Service != "core" || c.Method != http.MethodGet || c.Path != "/core/v1/deposit" || c.Query != "page=2" || c.Status != 200 ||
		c.BearerSHA256 != hex.EncodeToString(sum[:]) || c.StartedAt == "" || c.EndedAt == "" {
		t.Errorf("call %+v", c)
	}
	if bytes.Contains(got.body, []byte(token)) {
		t.Error("the response contains the token")
	}
	if got := control(t, s, http.MethodDelete, "calls", "", nil); got.status != http.StatusNoContent || len(s.Calls()) != 0 {
		t.Errorf("status %d, %d calls left", got.status, len(s.Calls()))
	}
}

func TestControlStep(t *testing.T) {
	s := start(t, sandbox.Config{Records: 50})
	before := get(t, s, s.CoreURL()+"/deposit?perPage=50").body
	if got := control(t, s, http.MethodPost, "step", "", nil); got.status != http.StatusNoContent {
		t.Errorf("status %d", got.status)
	}
	if bytes.Equal(before, get(t, s, s.CoreURL()+"/deposit?perPage=50").body) {
		t.Error("no payment moved")
	}
}

// TestControlIsLocal: requests that a web page could send through a browser are rejected without effect.
func TestControlIsLocal(t *testing.T) {
	s := start(t, sandbox.Config{Records: 50})
	tests := []struct {
		name   string
		change func(*http.Request)
	}{
		{"Origin", func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }},
		{"null Origin", func(r *http.Request) { r.Header.Set("Origin", "null") }},
		{"Origin of loopback", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }},
		{"fetch metadata", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		{"name that resolves to loopback", func(r *http.Request) { r.Host = "rebind.example.com" }},
		{"name that resolves to loopback, with the port", func(r *http.Request) { r.Host = "rebind.example.com:" + r.URL.Port() }},
		{"another port", func(r *http.Request) { r.Host = "127.0.0.1:1" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := control(t, s, http.MethodPost, "faults", `{"status":500}`, tt.change); got.status != http.StatusForbidden {
				t.Errorf("status %d, want 403", got.status)
			}
			if got := control(t, s, http.MethodGet, "calls", "", tt.change); got.status != http.StatusForbidden {
				t.Errorf("calls: status %d, want 403", got.status)
			}
		})
	}
	if got := get(t, s, s.CoreURL()+"/deposit").status; got != 200 {
		t.Errorf("status %d: a rejected fault affects calls", got)
	}
	localhost := func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }
	if got := control(t, s, http.MethodGet, "calls", "", localhost); got.status != http.StatusOK {
		t.Errorf("localhost: status %d, want 200", got.status)
	}
	if got := control(t, s, http.MethodPut, "faults", "", nil); got.status != http.StatusMethodNotAllowed {
		t.Errorf("PUT: status %d, want 405", got.status)
	}
	if got := control(t, s, http.MethodGet, "unknown", "", nil); got.status != http.StatusNotFound {
		t.Errorf("unknown path: status %d, want 404", got.status)
	}
}
