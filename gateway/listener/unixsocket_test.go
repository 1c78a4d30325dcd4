package listener

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

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
