package sandbox_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
)

// control sends a request to a route below the sandbox's path.
func control(t *testing.T, s *sandbox.Sandbox, method, path, body string, change func(*http.Request)) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
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
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		got := control(t, s, http.MethodPost, "/faults",
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

		control(t, s, http.MethodPost, "/faults", `{"kind":"empty"}`, nil)
		if got := get(t, s, s.CoreURL()+"/withdrawal"); len(got.body) != 0 {
			t.Error("the fault does not affect a call")
		}
		if got := control(t, s, http.MethodDelete, "/faults", "", nil); got.status != http.StatusNoContent {
			t.Errorf("status %d", got.status)
		}
		if got := get(t, s, s.CoreURL()+"/withdrawal"); len(got.body) == 0 {
			t.Error("the fault still applies after its removal")
		}
	})
}

func TestControlRejectsFaults(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		tests := []struct{ name, body string }{
			{"not JSON", `x`},
			{"nothing", ``},
			{"misspelt member", `{"rout":"deposit"}`},
			{"two values", `{"route":"deposit"}{}`},
			{"unknown service", `{"service":"kore"}`},
			{"unknown kind", `{"kind":"boom"}`},
			{"informational status", `{"status":100}`},
			{"negative count", `{"times":-1}`},
			{"redirect without a location", `{"kind":"redirect"}`},
			{"latency without a unit", `{"latency":"100"}`},
			{"negative interval", `{"interval":"-1s"}`},
			{"the path of a route instead of its name", `{"route":"request"}`},
			{"many values of a header", `{"header":{"a":["` + strings.Repeat(`","`, 100) + `"]}}`},
			{"more than a mebibyte", `{"body":"` + strings.Repeat("x", 1<<20) + `"}`},
		}
		for _, tt := range tests {
			if got := control(t, s, http.MethodPost, "/faults", tt.body, nil); got.status != http.StatusBadRequest {
				t.Errorf("%s: status %d, want 400", tt.name, got.status)
			}
		}
		if got := get(t, s, s.CoreURL()+"/deposit").status; got != 200 {
			t.Errorf("status %d: a rejected fault affects calls", got)
		}
		time.Sleep(time.Second) // the server waits before it closes the connection of the body that it has not read
	})
}

// TestControlList: the list of faults has how many calls each one has matched, and no token or body; it has a bound.
func TestControlList(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		token := s.Token()
		control(t, s, http.MethodPost, "/faults", `{"route":"notification","status":503,"times":1,"latency":"1ms","body":"secret","token":"`+token+`"}`, nil)
		added := control(t, s, http.MethodPost, "/faults", `{"kind":"reset","service":"core","id":"x","after":5}`, nil)
		const both = `{"faults":[{"route":"notification","times":1,"latency":"1ms","status":503,"matched":0},` +
			`{"service":"core","id":"x","after":5,"kind":"reset","matched":0}]}` + "\n"
		if string(added.body) != both {
			t.Errorf("faults %s", added.body)
		}
		for range 2 {
			if _, err := fetch(t.Context(), newClient(), token, s.DispatcherURL()+"/request/x"); err != nil {
				t.Fatal(err)
			}
		}
		const want = `{"faults":[{"route":"notification","times":1,"latency":"1ms","status":503,"matched":2},` +
			`{"service":"core","id":"x","after":5,"kind":"reset","matched":0}]}` + "\n"
		if got := control(t, s, http.MethodGet, "/faults", "", nil); string(got.body) != want {
			t.Errorf("faults %s", got.body)
		}
		for range 98 {
			control(t, s, http.MethodPost, "/faults", `{"id":"x"}`, nil)
		}
		if got := control(t, s, http.MethodPost, "/faults", `{}`, nil); got.status != http.StatusConflict {
			t.Errorf("status %d for the 101st fault", got.status)
		}
		control(t, s, http.MethodDelete, "/faults", "", nil)
		if got := control(t, s, http.MethodGet, "/faults", "", nil); string(got.body) != `{"faults":[]}`+"\n" {
			t.Errorf("faults %s", got.body)
		}
	})
}

func TestControlCalls(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		token := s.Token()
		if _, err := fetch(t.Context(), newClient(), token, s.CoreURL()+"/deposit?page=2"); err != nil {
			t.Fatal(err)
		}
		got := control(t, s, http.MethodGet, "/calls", "", nil)
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
		if got := control(t, s, http.MethodDelete, "/calls", "", nil); got.status != http.StatusNoContent || len(s.Calls()) != 0 {
			t.Errorf("status %d, %d calls left", got.status, len(s.Calls()))
		}
	})
}

func TestControlStep(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		before := get(t, s, s.CoreURL()+"/deposit?perPage=50").body
		if got := control(t, s, http.MethodPost, "/step", "", nil); got.status != http.StatusNoContent {
			t.Errorf("status %d", got.status)
		}
		if bytes.Equal(before, get(t, s, s.CoreURL()+"/deposit?perPage=50").body) {
			t.Error("no payment moved")
		}
	})
}

// TestControlIndex: the list at the path itself names every route, which exists, and the addresses.
func TestControlIndex(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for _, path := range []string{"", "/"} {
			got := control(t, s, http.MethodGet, path, "", nil)
			if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Fatalf("status %d, %v", got.status, got.header)
			}
			for _, text := range []string{s.URL(), s.IssuerURL(), s.CoreURL(), s.DispatcherURL()} {
				if !strings.Contains(string(got.body), text) {
					t.Errorf("%s is not in %s", text, got.body)
				}
			}
			routes := regexp.MustCompile(`(?m)^  (GET|POST|DELETE) +(/\S+) `).FindAllStringSubmatch(string(got.body), -1)
			if len(routes) != 12 {
				t.Errorf("%d routes in %s", len(routes), got.body)
			}
			for _, route := range routes {
				body := map[string]string{"/webhooks": `{"url":"http://localhost:1/"}`}[route[2]]
				path := strings.Replace(route[2], "{id}", s.Samples().OpenTransaction+"?status=PAID", 1)
				if got := control(t, s, route[1], path, cmp.Or(body, "{}"), nil); got.status >= 300 {
					t.Errorf("%s %s: status %d %s", route[1], route[2], got.status, got.body)
				}
			}
		}
		if got := control(t, s, http.MethodPut, "/faults", "", nil); got.status != http.StatusMethodNotAllowed {
			t.Errorf("PUT: status %d, want 405", got.status)
		}
		for _, path := range []string{"/unknown", "/issuer/unknown"} {
			if got := control(t, s, http.MethodGet, path, "", nil); got.status != http.StatusNotFound {
				t.Errorf("%s: status %d, want 404", path, got.status)
			}
		}
		if got := get(t, s, strings.TrimSuffix(s.CoreURL(), "/core/v1")+sandbox.Path); got.status != http.StatusNotFound {
			t.Errorf("status %d at the core", got.status)
		}
	})
}

// TestControlToken: the token is valid for both APIs, and its parameters are those of the query.
func TestControlToken(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for query, want := range map[string]int{"": http.StatusNotFound, "?persona=without-dispatcher": http.StatusForbidden, "?ttl=-1": http.StatusUnauthorized} {
			token := strings.TrimSpace(string(control(t, s, http.MethodGet, "/token"+query, "", nil).body))
			got, err := fetch(t.Context(), newClient(), token, s.DispatcherURL()+"/request/x")
			if err != nil || got.status != want {
				t.Errorf("%q: status %d, want %d; %v", query, got.status, want, err)
			}
		}
	})
}
