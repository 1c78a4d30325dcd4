package gateway

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pixgraph/test/gatewaytest"
)

// socketClient returns a client that sends its requests to a unix socket.
func socketClient(t *testing.T, path string) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// socketDir returns a directory whose path is short enough for sockets.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "px")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestUnixSockets: both addresses may be unix sockets, which the owner and the group may use. Their files are removed
// at the end.
func TestUnixSockets(t *testing.T) {
	dir := socketDir(t)
	public, admin := filepath.Join(dir, "public.sock"), filepath.Join(dir, "admin.sock")
	box := gatewaytest.NewSandbox(t)
	r := launch(t, gatewaytest.Flags(box, "--listen=unix:"+public, "--admin-listen=unix:"+admin, "--live-heartbeat=50ms")...)
	if r.at != (addresses{"unix:" + public, "unix:" + admin}) || !strings.Contains(r.stderr.String(), `"address":"unix:`+public+`"`) {
		t.Errorf("the addresses are %v", r.at)
	}
	r.URL, r.HTTP, r.Token = "http://localhost", socketClient(t, public), box.Token()
	r.Query("{ deposits { totalCount } }").WantOK()
	r.admin.URL, r.admin.HTTP = "http://localhost", socketClient(t, admin)
	if status := r.admin.Get("/readyz").Status; status != http.StatusOK {
		t.Errorf("/readyz returned %d", status)
	}
	resp, err := r.subscribe(r.HTTP, box, box.Token())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := resp.Body.Read(make([]byte, 64)); n == 0 || resp.StatusCode != http.StatusOK {
		t.Errorf("a stream has %d, %v", resp.StatusCode, err)
	}
	for _, path := range []string{public, admin} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o660 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	r.end()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// TestUnixSocketAddress: a client of a unix socket counts as one on the same machine, also for the rate limit of
// addresses: a proxy that is trusted names the client.
func TestUnixSocketAddress(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		path := filepath.Join(socketDir(t), "public.sock")
		box := gatewaytest.NewSandbox(t)
		flags := []string{"--listen=unix:" + path, "--rate-address=0.001", "--rate-identity-burst=1"}
		if trusted {
			flags = append(flags, "--rate-trusted-proxies=127.0.0.1/32")
		}
		r := launch(t, gatewaytest.Flags(box, flags...)...)
		r.URL, r.HTTP, r.Token = "http://localhost", socketClient(t, path), box.Token()
		query := func(client string) gatewaytest.Response {
			return r.QueryWith(http.Header{"X-Forwarded-For": {client}}, "{ deposits { totalCount } }")
		}
		query("203.0.113.1").WantOK()
		query("203.0.113.1").WantError("RATE_LIMITED")
		if second := query("203.0.113.2"); len(second.Errors) == 0 != trusted {
			t.Errorf("trusted %t: the first query of a second client has %v", trusted, second.Errors)
		}
	}
}
