package gateway

import (
	"net"
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
		if limit := acceptedOption(t, listener, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT); limit != 14_000 {
			t.Errorf("%d ms", limit)
		}
	}
}
