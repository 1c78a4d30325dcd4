package gateway

import (
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pixgraph/gateway/settings"
)

// TestUnacknowledged: a connection ends when its client acknowledges nothing for two heartbeats, because it lost its
// network.
func TestUnacknowledged(t *testing.T) {
	s := settings.Settings{Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0"}
	s.Streams.Heartbeat = 7 * time.Second
	public, admin, err := listen(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, listener := range []net.Listener{public, admin} {
		defer listener.Close()
		client, err := net.Dial("tcp", listener.Addr().String())
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
		err = raw.Control(func(descriptor uintptr) {
			limit, err := unix.GetsockoptInt(int(descriptor), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
			if err != nil || limit != 14_000 {
				t.Errorf("%d ms, %v", limit, err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
