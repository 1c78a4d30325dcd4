package egresstest

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"testing"
)

// Silent starts a listener on an address of IPv4 that does not respond to SYN packets, because its accept queue is
// full. It returns the address with the port.
func Silent(t testing.TB, address string) string {
	t.Helper()
	want, err := netip.ParseAddrPort(address)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	bound := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: want.Addr().As4(), Port: int(want.Port())})
	if err := errors.Join(bound, syscall.Listen(socket, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	got := netip.AddrPortFrom(want.Addr(), uint16(name.(*syscall.SockaddrInet4).Port)).String()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", got) // Linux accepts one connection more than the length of the queue
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return got
}
