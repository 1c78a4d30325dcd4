package gateway

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"

	"pixgraph/gateway/settings"
	"pixgraph/internal/memnet"
)

// arrivals is a listener whose connections the test makes.
type arrivals chan net.Conn

func (a arrivals) Accept() (net.Conn, error) {
	if conn, open := <-a; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (a arrivals) Close() error {
	close(a)
	return nil
}

func (arrivals) Addr() net.Addr { return &net.TCPAddr{} }

// TestSharesOfAddresses: an address has at most three quarters of the connections, and another one gets some of the
// rest. A trusted proxy has no share.
func TestSharesOfAddresses(t *testing.T) {
	const limit = 80
	for trusted, want := range map[string]int{"192.0.2.0/24": limit * 3 / 4, "127.0.0.1/32": limit - 1} {
		synctest.Test(t, func(t *testing.T) {
			s := settings.Settings{Connections: limit}
			s.Limits.Rate.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(trusted)}
			arriving := make(arrivals)
			bounded := boundClients(arriving, s)
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
				client, server := memnet.Pipe(&net.TCPAddr{IP: net.ParseIP(from), Port: 1}, arriving.Addr())
				t.Cleanup(func() { _ = client.Close() })
				arriving <- server
				_, err := io.ReadFull(client, make([]byte, 1))
				return client, err == nil
			}
			var open []net.Conn
			for range limit - 1 {
				if conn, accepted := dial("127.0.0.1"); accepted {
					open = append(open, conn)
				}
			}
			if len(open) != want || bounded.stats().Refused != uint64(limit-1-want) {
				t.Errorf("%d connections of one address, want %d; %+v", len(open), want, bounded.stats())
			}
			if _, accepted := dial("127.0.0.2"); !accepted {
				t.Error("another address has no connection")
			}
			_ = open[0].Close()
			synctest.Wait()
			if bounded.stats().Open != len(open) {
				t.Errorf("%+v after a connection has ended", bounded.stats())
			}
			if _, accepted := dial("127.0.0.1"); !accepted {
				t.Error("a closed connection is still counted")
			}
		})
	}
}
