package binary

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pixgraph/test/gatewaytest"
)

// overSocket returns a client that sends its requests to a unix socket.
func overSocket(t *testing.T, path, token string) gatewaytest.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return gatewaytest.Client{T: t, URL: "http://localhost", Token: token, HTTP: &http.Client{Transport: transport}}
}

// TestUnixSockets: both addresses may be unix sockets, which the owner and the group may use. Their files are removed
// at the end. A client counts as one on the same machine, also for the rate limit of addresses: a proxy that is trusted
// names the client.
func TestUnixSockets(t *testing.T) {
	notShort(t)
	for _, trusted := range []string{"127.0.0.1/32", "192.0.2.0/24"} {
		dir, err := os.MkdirTemp("", "px") // t.TempDir can be too long for the path of a socket
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		public, admin := filepath.Join(dir, "public.sock"), filepath.Join(dir, "admin.sock")
		box := gatewaytest.NewSandbox(t)
		s := start(t, nil, gatewaytest.Flags(box, "--listen=unix:"+public, "--admin-listen=unix:"+admin, "--shutdown-delay=0s",
			"--rate-address=0.001", "--rate-identity-burst=2", "--rate-trusted-proxies="+trusted)...)
		if address := s.address(); address != "unix:"+public {
			t.Errorf("the address is %s", address)
		}
		for _, path := range []string{public, admin} {
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o660 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		}
		client := overSocket(t, public, box.Token())
		from := func(address string) gatewaytest.Response {
			return client.QueryWith(http.Header{"X-Forwarded-For": {address}}, "{ deposits { totalCount } }")
		}
		from("203.0.113.1").WantOK() // after the gateway has the issuer's keys
		if status := overSocket(t, admin, "").Get("/readyz").Status; status != http.StatusOK {
			t.Errorf("/readyz returned %d", status)
		}
		resp := client.Open(http.Header{"X-Forwarded-For": {"203.0.113.1"}, "Accept": {"text/event-stream"}}, "subscription { deposits { totalCount } }")
		if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("a stream has %d, %v", resp.StatusCode, err)
		}
		from("203.0.113.1").WantError("RATE_LIMITED")
		if second := from("203.0.113.2"); len(second.Errors) == 0 != (trusted == "127.0.0.1/32") {
			t.Errorf("trusted %s: the first query of a second client has %v", trusted, second.Errors)
		}
		s.stop(t)
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("files are left: %v, %v", left, err)
		}
	}
}
