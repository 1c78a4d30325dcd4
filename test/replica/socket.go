package replica

import (
	"net"
	"strings"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// Socket opens a WebSocket until the end of the test.
func (r *Replica) Socket(dialer ws.Dialer) net.Conn {
	r.T.Helper()
	dialer.Protocols, dialer.NetDial = []string{"graphql-transport-ws"}, r.Network.DialContext
	conn, _, _, err := dialer.Dial(r.T.Context(), strings.Replace(r.URL, "http", "ws", 1)+"/graphql")
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { _ = conn.Close() })
	return conn
}

// WantMessage sends a message over a WebSocket and reads one, which must contain the text.
func (r *Replica) WantMessage(conn net.Conn, message, text string) {
	r.T.Helper()
	if err := wsutil.WriteClientText(conn, []byte(message)); err != nil {
		r.T.Fatal(err)
	}
	if got, err := wsutil.ReadServerText(conn); err != nil || !strings.Contains(string(got), text) {
		r.T.Fatalf("%s got %s, %v", message, got, err)
	}
}
