package gateway

import (
	"fmt"
	"net"
	"sync"

	"golang.org/x/net/netutil"

	"pixgraph/gateway/settings"
	"pixgraph/gateway/telemetry"
	"pixgraph/graph/guard/limits"
	"pixgraph/internal/quota"
)

// clients bounds the connections of clients: Settings.Connections in all, of which an address gets at most three times
// as many as are free. What an address opens above that is closed at once; what all addresses open above the limit
// waits. Proxies of rate_trusted_proxies have no share, since their connections carry the requests of many clients.
//
//   - Key: the address, or the /64 network of an IPv6 address; for a trusted proxy the connection.
//   - Bound: as many entries of about 150 bytes.
//   - Filled by: connections of any client.
//   - Emptied by: the end of each connection.
type clients struct {
	net.Listener
	held  *quota.Pool
	limit int
	rate  limits.RateConfig
}

// fewConnections is how many of the last eighth of the connections an address may have.
const fewConnections = 8

func boundClients(l net.Listener, s settings.Settings) *clients {
	return &clients{netutil.LimitListener(l, s.Connections), quota.NewPool(int64(s.Connections), fewConnections), s.Connections, s.Limits.Rate}
}

// Accept implements net.Listener.
func (c *clients) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address, trusted := c.rate.ConnectionKey(conn.RemoteAddr().String())
		if trusted {
			address = fmt.Sprintf("%p", conn)
		}
		if c.held.Take(address, 1) {
			return &heldConn{Conn: conn, proxy: trusted, release: sync.OnceFunc(func() { c.held.Return(address, 1) })}, nil
		}
		_ = conn.Close()
	}
}

// stats returns the counters of the connections.
func (c *clients) stats() telemetry.Connections {
	open, refused := c.held.Used()
	return telemetry.Connections{Open: int(open), Limit: c.limit, Refused: refused}
}

// heldConn is a connection that is counted until it is closed.
type heldConn struct {
	net.Conn
	proxy   bool // whether it is that of a trusted proxy
	release func()
}

// OfProxy reports whether the connection has the requests of many clients: package httpserver does not pace it.
func (c *heldConn) OfProxy() bool { return c.proxy }

// Close implements net.Conn.
func (c *heldConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
