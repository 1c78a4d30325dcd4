package listener

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// socketMode is the mode of a unix socket: its owner and its group may connect.
const socketMode = 0o660

// unixListener is a unix socket. Its file is removed when it is closed, unless it is the file of another gateway by
// then.
type unixListener struct {
	net.Listener
	path string
	file fs.FileInfo
	left chan struct{} // see connection
}

// openUnix opens a unix socket. It replaces the file of a gateway that was killed, and nothing else. Gateways that
// start at the same time open their sockets one after the other, so that none replaces the file of another.
func openUnix(ctx context.Context, setting, path string) (net.Listener, error) {
	defer lockDirectory(filepath.Dir(path))()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && isStale(ctx, path) {
		if err = os.Remove(path); err == nil {
			listener, err = config.Listen(ctx, "unix", path)
		}
	}
	opened := unixListener{Listener: listener, path: path, left: make(chan struct{}, servedLeft)}
	if err == nil {
		if err = os.Chmod(path, socketMode); err == nil {
			opened.file, err = os.Lstat(path)
		}
		if err != nil {
			_ = listener.Close()
		}
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: unix:%s is in use, maybe by another gateway, or is not a socket", setting, path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return opened, nil
}

// isStale reports whether a path is a socket that no process listens on.
func isStale(ctx context.Context, path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return false
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Accept implements net.Listener.
func (l unixListener) Accept() (net.Conn, error) {
	conn, err := accept(l.Listener, l.left)
	if err != nil {
		return nil, err
	}
	return unixConn{conn}, nil
}

// Close implements net.Listener.
func (l unixListener) Close() error {
	if file, err := os.Lstat(l.path); err != nil || !os.SameFile(file, l.file) {
		l.Listener.(*net.UnixListener).SetUnlinkOnClose(false)
	}
	return l.Listener.Close()
}

// unixConn is a connection of a unix socket.
type unixConn struct{ *connection }

// RemoteAddr implements net.Conn. A client of a unix socket has no address: it counts as a client on the same machine,
// which rate_trusted_proxies may list.
func (unixConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
