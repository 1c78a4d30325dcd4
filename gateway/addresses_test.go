package gateway

import (
	"io"
	"net"
	"net/netip"
	"testing"

	"pixgraph/gateway/settings"
)

// TestSharesOfAddresses: an address has at most three quarters of the connections, and another one gets some of the
// rest. A trusted proxy has no share.
func TestSharesOfAddresses(t *testing.T) {
	const limit = 80
	for _, tt := range []struct {
		trusted string
		want    int
	}{{"192.0.2.0/24", limit * 3 / 4}, {"127.0.0.1/32", limit - 1}} {
		s := settings.Settings{Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Connections: limit}
		s.Limits.Rate.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(tt.trusted)}
		public, admin, err := listen(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close()
		bounded := boundClients(public, s)
		defer bounded.Close()
		go func() {
			for conn, err := bounded.Accept(); err == nil; conn, err = bounded.Accept() {
				_, _ = io.WriteString(conn, "+")
				go func() { // until the client leaves
					_, _ = io.Copy(io.Discard, conn)
					_ = conn.Close()
				}()
			}
		}()
		dial := func(from string) (conn net.Conn, accepted bool) {
			dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
			conn, err := dialer.Dial("tcp", public.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			_, err = io.ReadFull(conn, make([]byte, 1))
			return conn, err == nil
		}
		var open []net.Conn
		for range limit - 1 {
			if conn, accepted := dial("127.0.0.1"); accepted {
				open = append(open, conn)
			}
		}
		if len(open) != tt.want || bounded.stats().Refused != uint64(limit-1-tt.want) {
			t.Errorf("%d connections of one address, want %d; %+v", len(open), tt.want, bounded.stats())
		}
		if _, accepted := dial("127.0.0.2"); !accepted {
			t.Error("another address has no connection")
		}
		_ = open[0].Close()
		waitFor(t, func() bool { return bounded.stats().Open == len(open) })
		if _, accepted := dial("127.0.0.1"); !accepted {
			t.Error("a closed connection is still counted")
		}
	}
}
