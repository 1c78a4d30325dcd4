package gateway

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// TestLoopbackURLs: a server is reached by its address on loopback and by localhost, unless it listens on a network
// only.
func TestLoopbackURLs(t *testing.T) {
	for address, want := range map[string][]string{
		"127.0.0.1:8080":   {"http://127.0.0.1:8080", "http://localhost:8080"},
		"127.0.0.2:8080":   {"http://127.0.0.2:8080"},
		"[::1]:8080":       {"http://[::1]:8080", "http://localhost:8080"},
		"0.0.0.0:8081":     {"http://127.0.0.1:8081", "http://localhost:8081"},
		"[::]:8081":        {"http://127.0.0.1:8081", "http://localhost:8081"},
		"127.0.0.1:80":     {"http://127.0.0.1", "http://localhost"},
		"127.0.0.1:443":    {"http://127.0.0.1:443", "http://localhost:443"},
		"192.168.1.5:8080": nil,
	} {
		if got := loopbackURLs(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)), "http"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
	secure := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: 443}
	if got := loopbackURLs(secure, "https"); !slices.Equal(got, []string{"https://127.0.0.2"}) {
		t.Errorf("with TLS: %v", got)
	}
	var greeting strings.Builder
	socket := &net.UnixAddr{Name: "/run/pixgraph.sock", Net: "unix"}
	greet(&greeting, socket, "http", "http://127.0.0.1:1")
	const command = `curl -sg --unix-socket /run/pixgraph.sock "localhost/graphql?query=`
	if got := loopbackURLs(socket, "http"); got != nil || !strings.Contains(greeting.String(), command) {
		t.Errorf("of a unix socket: %v, %s", got, greeting.String())
	}
}

// TestProfilesAreForThisMachine: only a client without an address, which is one of a unix socket, or with an address of
// loopback gets profiles.
func TestProfilesAreForThisMachine(t *testing.T) {
	admin := adminMux(http.NotFoundHandler(), http.NotFoundHandler())
	for address, want := range map[string]int{
		"127.0.0.1:5": http.StatusOK, "[::1]:5": http.StatusOK, "[::ffff:127.0.0.1]:5": http.StatusOK, "@": http.StatusOK,
		"192.0.2.1:5": http.StatusForbidden, "[2001:db8::1]:5": http.StatusForbidden, "[fe80::1%eth0]:5": http.StatusForbidden,
	} {
		for _, path := range []string{"", "symbol", "goroutine"} {
			r := httptest.NewRequest(http.MethodGet, "/debug/pprof/"+path, nil)
			r.RemoteAddr = address
			w := httptest.NewRecorder()
			if admin.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%s from %s: %d, want %d", path, address, w.Code, want)
			}
		}
	}
}
