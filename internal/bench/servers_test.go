package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// serveInTest runs a role in this process until the test ends, and returns its address.
func serveInTest(t *testing.T, role string, args []string, input []byte) string {
	t.Helper()
	stdin, feed := io.Pipe()
	out, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- roles()[role](context.Background(), args, stdin, stdout)
		_ = stdout.Close()
	}()
	t.Cleanup(func() {
		_ = feed.Close()
		if err := <-ended; err != nil {
			t.Errorf("%s ended with %v", role, err)
		}
	})
	if len(input) > 0 {
		if _, err := feed.Write(input); err != nil {
			t.Fatal(err)
		}
	}
	line := make([]byte, 256)
	n, err := out.Read(line)
	address, ok := strings.CutPrefix(string(line[:n]), announcement)
	if err != nil || !ok {
		t.Fatalf("it said %q, %v", line[:n], err)
	}
	return strings.TrimSpace(address)
}

func TestStandin(t *testing.T) {
	address := serveInTest(t, "standin", []string{"0s", "8"}, nil)
	c, err := dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for range 2 { // over one connection
		if page, err := c.ask(get(depositsPath(narrowPage), "token")); err != nil || !bytes.HasPrefix(page, []byte(`{"total":`)) {
			t.Fatalf("%.100s, %v", page, err)
		}
	}
	if count, err := c.ask(get(callsPath, "token")); err != nil || string(count) != "2" {
		t.Errorf("%s calls, %v", count, err)
	}
	if _, err := c.ask(get("/core/transaction/other", "token")); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("an unknown record: %v", err)
	}
}

// recorder is an API that notes its calls.
type recorder struct {
	mu    sync.Mutex
	calls []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, req.URL.Path+" "+req.Header.Get("Authorization"))
	if req.URL.Path == "/broken" {
		w.WriteHeader(http.StatusInternalServerError)
	}
	_, _ = io.WriteString(w, "body of "+req.URL.Path)
}

// TestFloor: the calls of a round are made before those of the next, with the caller's bearer; then the answer is written.
func TestFloor(t *testing.T) {
	api := &recorder{}
	server := httptest.NewServer(api)
	defer server.Close()
	var scripts bytes.Buffer
	err := gob.NewEncoder(&scripts).Encode(map[string]script{
		"/good": {[][]string{{server.URL + "/a", server.URL + "/b"}, {server.URL + "/c"}}, []byte("recorded")},
		"/bad":  {[][]string{{server.URL + "/broken"}}, []byte("recorded")},
	})
	if err != nil {
		t.Fatal(err)
	}
	address := serveInTest(t, "floor", nil, scripts.Bytes())
	answer, err := askOnce(t.Context(), address, get("/good", "token"))
	if err != nil || string(answer) != "recorded" {
		t.Errorf("%q, %v", answer, err)
	}
	want := []string{"/a Bearer token", "/b Bearer token", "/c Bearer token"}
	if len(api.calls) == len(want) {
		slices.Sort(api.calls[:2])
	}
	if !slices.Equal(api.calls, want) {
		t.Errorf("calls %q", api.calls)
	}
	for path, status := range map[string]string{"/bad": "502", "/other": "404"} {
		if _, err := askOnce(t.Context(), address, get(path, "token")); err == nil || !strings.Contains(err.Error(), status) {
			t.Errorf("%s: %v, not %s", path, err, status)
		}
	}
}

func TestProxy(t *testing.T) {
	api := &recorder{}
	server := httptest.NewServer(api)
	defer server.Close()
	address := serveInTest(t, "proxy", []string{server.URL}, nil)
	answer, err := askOnce(t.Context(), address, get("/core/deposit", "token"))
	if err != nil || string(answer) != "body of /core/deposit" || !slices.Equal(api.calls, []string{"/core/deposit Bearer token"}) {
		t.Errorf("%q, %v, calls %q", answer, err, api.calls)
	}
}

func TestRoleArguments(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"standin without a latency", []string{"standin"}},
		{"standin with another", []string{"standin", "slow", "8"}},
		{"standin without sets", []string{"standin", "0s"}},
		{"standin with no sets", []string{"standin", "0s", "0"}},
		{"proxy without a URL", []string{"proxy"}},
		{"floor without scripts", []string{"floor"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := run(t.Context(), tt.args, strings.NewReader(""), io.Discard, io.Discard); err == nil {
				t.Error("it served")
			}
		})
	}
}
