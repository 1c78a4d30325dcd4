package gateway

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pixgraph/gateway/settings"
)

// TestSendBuffer: the kernel holds at most 256 KiB of a response that a client does not read, on both addresses.
func TestSendBuffer(t *testing.T) {
	directory := t.TempDir()
	for _, tt := range []struct{ name, network, public, admin string }{
		{"TCP", "tcp", "127.0.0.1:0", "127.0.0.1:0"},
		{"unix sockets", "unix", "unix:" + filepath.Join(directory, "public"), "unix:" + filepath.Join(directory, "admin")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			public, admin, err := listen(t.Context(), settings.Settings{Listen: tt.public, AdminListen: tt.admin})
			if err != nil {
				t.Fatal(err)
			}
			for _, listener := range []net.Listener{public, admin} {
				defer listener.Close()
				client, err := net.Dial(tt.network, listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				conn, err := listener.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if wrapped, ok := conn.(unixConn); ok {
					conn = wrapped.Conn
				}
				raw, err := conn.(syscall.Conn).SyscallConn()
				if err != nil {
					t.Fatal(err)
				}
				err = raw.Control(func(descriptor uintptr) {
					size, err := unix.GetsockoptInt(int(descriptor), unix.SOL_SOCKET, unix.SO_SNDBUF)
					if err != nil || size != 2*sendBuffer || size > 256<<10 {
						t.Errorf("%d bytes, %v", size, err)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
