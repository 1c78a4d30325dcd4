package hostile

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pixgraph/test/gatewaytest"
)

// proxy is a TCP proxy between the gateway and an API that can drop all data, like a load balancer after a failover or
// a firewall that dropped its connection table: nothing is refused, nothing arrives.
type proxy struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	conns []*proxiedConn
	ends  sync.WaitGroup
}

// proxiedConn is a connection of the gateway with the corresponding one to the API.
type proxiedConn struct {
	near, far net.Conn
	dropped   atomic.Bool
}

// newProxy starts a proxy to an address; it ends with the test.
func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{listener: listener, to: to}
	p.ends.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_, _ = c.near.Close(), c.far.Close()
		}
		p.mu.Unlock()
		p.ends.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		c := &proxiedConn{near: near, far: far}
		p.mu.Lock()
		p.conns = append(p.conns, c)
		p.mu.Unlock()
		p.ends.Go(func() { c.pass(far, near) })
		p.ends.Go(func() { c.pass(near, far) })
	}
}

// pass forwards data, unless the connection is dropped. Then it does not forward the end of the connection either.
func (c *proxiedConn) pass(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		dropped := c.dropped.Load()
		if dropped && err == nil {
			continue
		}
		if _, failed := to.Write(buffer[:n]); dropped || err != nil || failed != nil {
			if !dropped {
				_, _ = c.near.Close(), c.far.Close()
			}
			return
		}
	}
}

// drop silently drops all further data on the existing connections. It returns their number.
func (p *proxy) drop() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.dropped.Store(true)
	}
	return len(p.conns)
}

// failover drops all connections to the core API silently. One call may notice it by its timeout; the next one
// succeeds, however many connections were idle.
func failover(t *testing.T, shared *gateway) {
	const kept = 8
	box := gatewaytest.NewSandbox(t)
	host := strings.Split(box.CoreURL(), "/")[2]
	core := newProxy(t, host)
	g := startGateway(t, box, shared.binary, raceEnviron(),
		"--core-url="+strings.Replace(box.CoreURL(), host, core.listener.Addr().String(), 1), "--upstream-timeout=5s")

	// As many connections are kept as there were concurrent calls.
	root := asked("{" + aliases(kept, "deposits { totalCount }") + " }")
	g.wantRow(t, row{send: post(root), status: http.StatusOK})
	if dropped := core.drop(); dropped < 2 {
		t.Fatalf("%d connections", dropped)
	}
	if got := post(good)(t, g); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	g.wantResponse(t)
	g.wantRow(t, row{send: post(root), status: http.StatusOK})
	g.wantCleanEnd(t)
}
