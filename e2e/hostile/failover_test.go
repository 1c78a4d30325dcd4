package hostile

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// wire is a TCP proxy between the gateway and an API that can lose what is sent, as a failed-over load balancer or a
// firewall that forgot its connections does: nothing is refused, nothing arrives.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	conns []*wiredConn
	ends  sync.WaitGroup
}

// wiredConn is a connection of the gateway and the one that it is wired to.
type wiredConn struct {
	near, far net.Conn
	mu        sync.Mutex
	lost      bool
}

// newWire starts a proxy to an address; it ends with the test.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener, to: to}
	w.ends.Go(w.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		w.mu.Lock()
		for _, c := range w.conns {
			_, _ = c.near.Close(), c.far.Close()
		}
		w.mu.Unlock()
		w.ends.Wait()
	})
	return w
}

func (w *wire) accept() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", w.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		c := &wiredConn{near: near, far: far}
		w.mu.Lock()
		w.conns = append(w.conns, c)
		w.mu.Unlock()
		w.ends.Go(func() { c.pass(far, near) })
		w.ends.Go(func() { c.pass(near, far) })
	}
}

// pass sends on what is read, unless it is lost. The end of a connection that is lost is lost too.
func (c *wiredConn) pass(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		c.mu.Lock()
		lost := c.lost
		c.mu.Unlock()
		if lost && err == nil {
			continue
		}
		if _, failed := to.Write(buffer[:n]); lost || err != nil || failed != nil {
			if !lost {
				_, _ = c.near.Close(), c.far.Close()
			}
			return
		}
	}
}

// lose loses, from now on, everything on the connections that there are. It returns how many those are.
func (w *wire) lose() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.mu.Lock()
		c.lost = true
		c.mu.Unlock()
	}
	return len(w.conns)
}

// failover loses all connections to the core API silently. One call may find that out by its timeout; the next one is
// good, however many connections were kept.
func failover(t *testing.T, binary string) {
	const kept = 8
	box := newSandbox(t)
	host := strings.Split(box.CoreURL(), "/")[2]
	core := newWire(t, host)
	flags := append(verifying(box),
		"--core-url="+strings.Replace(box.CoreURL(), host, core.listener.Addr().String(), 1), "--dispatcher-url="+box.DispatcherURL(),
		"--shutdown-delay=0s", "--upstream-timeout=5s", "--upstream-coalescing=off")
	g := over(t, box, launch(t, binary, watched(), flags...))

	// So many connections are kept as calls were under way at the same time.
	root := asked("{" + aliases(kept, "deposits { totalCount }") + " }")
	g.check(t, row{send: post(root), status: http.StatusOK})
	if lost := core.lose(); lost < 2 {
		t.Fatalf("there are %d connections", lost)
	}
	if got := post(good)(t, g); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	g.alive(t)
	g.check(t, row{send: post(root), status: http.StatusOK})
	g.finish(t)
}
