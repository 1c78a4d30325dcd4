package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// startInTest serves in a role in this process until the test ends, and returns the address.
func startInTest(t *testing.T, name string, config any) string {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := roles()[name](t.Context(), json.NewDecoder(bytes.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, handler.ServeHTTP)
}

// api is an API that notes its calls.
type api struct {
	mu    sync.Mutex
	calls []string
}

func (a *api) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, r.RequestURI+" "+r.Header.Get("Authorization"))
	if r.URL.Path == "/broken" {
		w.WriteHeader(http.StatusInternalServerError)
	}
	_, _ = io.WriteString(w, "body of "+r.RequestURI)
}

// TestScripted: the calls of a round are made before those of the next, with the caller's bearer; then the response is
// written.
func TestScripted(t *testing.T) {
	a := &api{}
	upstream := func(path string) *url.URL {
		return &url.URL{Scheme: "http", Host: serve(t, a.serve), Path: path, RawQuery: "q=1"}
	}
	address := startInTest(t, scriptedRole, map[string]script{
		"/good?perPage=2": {[][]*url.URL{{upstream("/a"), upstream("/b")}, {upstream("/c")}}, []byte("recorded")},
		"/bad":            {[][]*url.URL{{upstream("/broken")}}, []byte("recorded")},
	})
	for _, tt := range []struct {
		target   string
		status   int
		response string
		calls    []string
	}{
		{"/good?perPage=2", 200, "recorded", []string{"/a?q=1 Bearer token", "/b?q=1 Bearer token", "/c?q=1 Bearer token"}},
		{"/good", 404, "404 page not found\n", nil},
		{"/bad", 502, "a call got the status 500 Internal Server Error\n", []string{"/broken?q=1 Bearer token"}},
	} {
		a.calls = nil
		status, response, err := newConnection(0, address).do(t.Context(), post(tt.target, "token", operation{}))
		if err != nil || status != tt.status || string(response) != tt.response {
			t.Errorf("%s: %d, %q, %v", tt.target, status, response, err)
		}
		if len(a.calls) > 1 {
			slices.Sort(a.calls[:2]) // of one round
		}
		if !slices.Equal(a.calls, tt.calls) {
			t.Errorf("%s: calls %q", tt.target, a.calls)
		}
	}
}

// TestBackground: clients in a separate process count their responses by code, until they fail.
func TestBackground(t *testing.T) {
	const refused = `{"errors":[{"message":"no","extensions":{"code":"OVERLOADED"}}]}`
	var mu sync.Mutex
	responses := []string{refused, refused, `{"data":{}}`}
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if len(responses) == 0 {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = io.WriteString(w, responses[0])
		responses = responses[1:]
	})
	clients := &background{Address: address, Clients: 1, Requests: [][]byte{post("/", "", operation{})}}
	p, err := new(tool).startRole(t.Context(), "clients", backgroundRole, clients)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		var seen totals
		if seen, err = readTotals(t.Context(), p); err != nil && (seen.Outcomes["OVERLOADED"] != 2 || seen.Outcomes[ok] != 1 || seen.FirstOK.IsZero()) {
			t.Errorf("%+v", seen)
		}
	}
	if !strings.Contains(err.Error(), "a response has the status 418") {
		t.Error(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

// TestCodeOf reads codes and retryAfterMs from responses of the gateway.
func TestCodeOf(t *testing.T) {
	const refused = `{"errors":[{"message":"the code: \"x\"","extensions":{"code":"UPSTREAM_UNAVAILABLE","retryAfterMs":4321}},{"message":"b"}],"data":{"a":null}}`
	for _, tt := range []struct {
		name, response, code string
		millis               int64
	}{
		{"refused", refused, "UPSTREAM_UNAVAILABLE", 4321},
		{"refused for an unknown time", strings.Replace(refused, `,"retryAfterMs":4321`, "", 1), "UPSTREAM_UNAVAILABLE", 0},
		{"good", `{"data":{"a":{"code":"x"}}}`, ok, 0},
		{"no code", `{"errors":[{"message":"a"}]}`, "no code", 0},
		{"no JSON", `{"errors":`, "no code", 0},
	} {
		if code, after := codeOf([]byte(tt.response)); code != tt.code || after.Milliseconds() != tt.millis {
			t.Errorf("%s: %s, %s", tt.name, code, after)
		}
	}
}
