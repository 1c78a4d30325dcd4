package gateway

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != socketMode {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	r.end()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// TestUnixSocketInUse: the file of a gateway that was killed is replaced. A socket on which a process listens is not,
// nor is any other file.
func TestUnixSocketInUse(t *testing.T) {
	path := filepath.Join(socketDir(t), "public.sock")
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	inUse := func(content fs.FileMode) {
		t.Helper()
		_, err := openUnix(t.Context(), "listen", path)
		if err == nil || err.Error() != "listen: unix:"+path+" is in use, maybe by another gateway, or is not a socket" {
			t.Errorf("the error is %v", err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != content {
			t.Errorf("the file was replaced: %v", err)
		}
	}
	inUse(fs.ModeSocket)
	killed.SetUnlinkOnClose(false)
	_ = killed.Close()
	listener, err := openUnix(t.Context(), "listen", path)
	if err != nil {
		t.Fatalf("the file of a killed process is not replaced: %v", err)
	}
	_ = listener.Close()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inUse(0)
	if _, err := openUnix(t.Context(), "listen", filepath.Join(path, "missing.sock")); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("a path below a file: %v", err)
	}
}

// TestUnixSocketReplaced: a gateway removes only its own socket at the end, not that of a gateway that an operator
// started in its place.
func TestUnixSocketReplaced(t *testing.T) {
	path := filepath.Join(socketDir(t), "public.sock")
	var opened [2]net.Listener
	for i := range opened {
		_ = os.Remove(path)
		var err error
		if opened[i], err = openUnix(t.Context(), "listen", path); err != nil {
			t.Fatal(err)
		}
	}
	for i, remains := range []bool{true, false} {
		if err := opened[i].Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); (err == nil) != remains {
			t.Errorf("after the end of gateway %d the socket of the second one is: %v", i+1, err)
		}
	}
}

// TestUnixSocketRace: of the gateways that start at the same time and find the file of one that was killed, one gets
// the socket, and keeps it.
func TestUnixSocketRace(t *testing.T) {
	path := filepath.Join(socketDir(t), "public.sock")
	for range 100 {
		killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		killed.SetUnlinkOnClose(false)
		_ = killed.Close()
		var starting sync.WaitGroup
		opened := make(chan net.Listener, 16)
		for range cap(opened) {
			starting.Go(func() {
				if listener, err := openUnix(t.Context(), "listen", path); err == nil {
					opened <- listener
				}
			})
		}
		starting.Wait()
		close(opened)
		if len(opened) != 1 {
			t.Errorf("%d gateways have the socket", len(opened))
		}
		for listener := range opened {
			_ = listener.Close()
		}
		_ = os.Remove(path)
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
