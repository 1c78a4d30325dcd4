package gateway

import (
	"net"
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
