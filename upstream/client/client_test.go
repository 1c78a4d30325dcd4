package client_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/upstream/client"
)

// TestMain fails if a test leaks a goroutine: of a connection, an exchange or a waiter.
func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	token     = "eyJhbGciOiJSUzI1NiJ9.bearer-canary.c2ln"
	uuid      = "c2b0e1a4-6d0f-4b8e-9d51-5a2f6f1e7b01"
	emptyPage = `{"total":0,"totalPages":0,"currentPage":1,"perPage":20,"data":[]}`
)

// network connects the clients to their servers.
var network memnet.Network

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := network.Listen()
	must(t, err)
	return listener
}

// served has the handlers of serve by the URLs of their servers.
var served sync.Map

// serve starts a server that runs until the end of the test.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := &httptest.Server{Listener: listen(t), Config: &http.Server{Handler: handler}}
	server.Start()
	served.Store(server.URL, handler)
	t.Cleanup(server.Close)
	return server
}

// respondWith returns a handler that sends the same response with status 200 to every request.
func respondWith(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

// recordRequests returns a handler like respondWith, and the URIs of the requests in their order.
func recordRequests(body string) (http.HandlerFunc, <-chan string) {
	seen := make(chan string, 100)
	respond := respondWith(body)
	return func(w http.ResponseWriter, r *http.Request) {
		seen <- r.RequestURI
		respond(w, r)
	}, seen
}

func TestNewValidatesConfig(t *testing.T) {
	const good = "https://api.example/v1"
	tests := []struct {
		name   string
		config client.Config
		want   string // in the error; "" for none
	}{
		{"only the required fields", client.Config{CoreURL: good, DispatcherURL: good}, ""},
		{"http with a port", client.Config{CoreURL: "http://127.0.0.1:8080", DispatcherURL: good}, ""},
		{"scheme in capitals", client.Config{CoreURL: "HTTPS://api.example/", DispatcherURL: good}, ""},
		{"IPv6", client.Config{CoreURL: "http://[::1]:8080/x", DispatcherURL: good}, ""},
		{"no core", client.Config{DispatcherURL: good}, "core must be an absolute"},
		{"no dispatcher", client.Config{CoreURL: good}, "dispatcher must be an absolute"},
		{"relative", client.Config{CoreURL: "/v1", DispatcherURL: good}, "core must be an absolute"},
		{"without scheme", client.Config{CoreURL: "api.example/v1", DispatcherURL: good}, "core must be an absolute"},
		{"other scheme", client.Config{CoreURL: "ftp://api.example", DispatcherURL: good}, "core must be an absolute"},
		{"opaque", client.Config{CoreURL: "http:api.example", DispatcherURL: good}, "core must be an absolute"},
		{"no host", client.Config{CoreURL: "https:///v1", DispatcherURL: good}, "core must be an absolute"},
		{"only a port", client.Config{CoreURL: "https://:8080/v1", DispatcherURL: good}, "core must be an absolute"},
		{"user", client.Config{CoreURL: "https://canary@api.example", DispatcherURL: good}, "core must not have"},
		{"password", client.Config{CoreURL: "https://u:canary@api.example", DispatcherURL: good}, "core must not have"},
		{"query", client.Config{CoreURL: good + "?key=canary", DispatcherURL: good}, "core must not have"},
		{"empty query", client.Config{CoreURL: good + "?", DispatcherURL: good}, "core must not have"},
		{"fragment", client.Config{CoreURL: good, DispatcherURL: good + "#canary"}, "dispatcher must not have"},
		{"host that is not ASCII", client.Config{CoreURL: "https://canaré.example", DispatcherURL: good}, "core must have its host name in ASCII"},
		{"host that is not ASCII, escaped", client.Config{CoreURL: "https://canar%C3%A9.example", DispatcherURL: good}, "core must have its host name in ASCII"},
		{"host in punycode", client.Config{CoreURL: "https://xn--canar-esa.example", DispatcherURL: good}, ""},
		{"no URL", client.Config{CoreURL: "https://canary%zz/", DispatcherURL: good}, "core is not a URL"},
		{"control character", client.Config{CoreURL: "https://canary\n", DispatcherURL: good}, "core is not a URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := client.New(tt.config)
			if tt.want == "" {
				must(t, err)
				c.Close()
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("error = %v, want %q in it and no canary", err, tt.want)
			}
		})
	}
}
