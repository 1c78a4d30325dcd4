//go:build unix

package http1_test

import (
	"context"
	"net"
	"syscall"
	"testing"

	"pixgraph/upstream/http1"
)

// TestSockets: the check of idle connections, over sockets of the operating system.
func TestSockets(t *testing.T) {
	for _, tt := range []struct {
		name string
		idle func(*peer) // what the server does after a response
		kept bool
	}{
		{"silence", func(*peer) {}, true},
		{"its end", func(p *peer) { _ = p.Close() }, false},
		{"a response", func(p *peer) { p.write(ok("unasked")) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			next := make(chan struct{})
			s := serveOn(t, listener, func(p *peer) {
				for n := 0; p.request(); n++ {
					p.write(ok("{}"))
					if p.number == 1 && n == 0 {
						<-next
						tt.idle(p)
					}
				}
			})
			var first net.Conn
			host := newHost(t, s, func(c *http1.Config) {
				c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := new(net.Dialer).DialContext(ctx, network, address)
					if first == nil {
						first = conn
					}
					return conn, err
				}
			})
			mustGet(t, host)
			close(next)
			if !tt.kept {
				waitToRead(t, first)
			}
			checkReuse(t, host, s, tt.kept)
		})
	}
}

// waitToRead waits until a socket has something to read, or has ended, and reads nothing.
func waitToRead(t *testing.T, conn net.Conn) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	must(t, err)
	if err := raw.Read(func(descriptor uintptr) bool {
		_, _, err := syscall.Recvfrom(int(descriptor), make([]byte, 1), syscall.MSG_PEEK)
		return err != syscall.EAGAIN
	}); err != nil {
		t.Error(err)
	}
}
