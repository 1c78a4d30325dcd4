package listener

import (
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// open opens an address until the end of the test.
func open(t *testing.T, address string, unacknowledged time.Duration) net.Listener {
	t.Helper()
	listener, err := Open(t.Context(), "listen", address, unacknowledged)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// acceptedOption returns an option of the socket of a connection that a listener accepts.
func acceptedOption(t *testing.T, listener net.Listener, level, option int) int {
	t.Helper()
	client, err := net.Dial(listener.Addr().Network(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	value, failed := 0, error(nil)
	err = raw.Control(func(descriptor uintptr) { value, failed = unix.GetsockoptInt(int(descriptor), level, option) })
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return value
}
