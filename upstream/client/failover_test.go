package client_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
)

// proxy forwards TCP connections. The test can make it drop the bytes of those that are open, as a failover does that loses
// their state: they stay open without any response, and new ones work.
type proxy struct {
	url     string
	dials   atomic.Int32 // connections of clients
	dropped atomic.Int32 // the number of the last connection that is not forwarded
}

func newProxy(t *testing.T, backend string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{url: "http://" + listener.Addr().String()}
	over, end := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			number := p.dials.Add(1)
			server, err := net.Dial("tcp", backend)
			if err != nil {
				_ = c.Close()
				continue
			}
			connection, closed := context.WithCancel(over)
			context.AfterFunc(connection, func() {
				_ = c.Close()
				_ = server.Close()
			})
			forward := func(to, from net.Conn) {
				defer closed()
				buffer := make([]byte, 4096)
				for {
					n, err := from.Read(buffer)
					if err != nil {
						return
					}
					if number <= p.dropped.Load() {
						continue
					}
					if _, err := to.Write(buffer[:n]); err != nil {
						return
					}
				}
			}
			group.Go(func() { forward(server, c) })
			group.Go(func() { forward(c, server) })
		}
	})
	t.Cleanup(func() {
		end()
		_ = listener.Close()
		group.Wait()
	})
	return p
}

// failover returns a client with idle connections through a proxy, and the number of calls that the API got. The proxy drops
// the bytes of those connections.
func failover(t *testing.T, connections int, timeout time.Duration) (*testClient, *proxy, *atomic.Int32) {
	t.Helper()
	var (
		calls   atomic.Int32
		arrived sync.WaitGroup
		group   sync.WaitGroup
	)
	arrived.Add(connections)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= int32(connections) {
			arrived.Done()
			arrived.Wait()
		}
		respondWith(emptyPage)(w, r)
	})
	p := newProxy(t, server.Listener.Addr().String())
	c := newClient(t, p.url, func(c *config) { c.Timeout = timeout })
	for range connections {
		group.Go(func() {
			if err := listDeposits(context.Background(), c); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := p.dials.Load(); got != int32(connections) {
		t.Fatalf("%d connections, want %d", got, connections)
	}
	p.dropped.Store(int32(connections))
	return c, p, &calls
}

// TestSilentFailover: after a failover that drops packets, one call times out, and the next ones use new connections. There is
// not one timeout for each idle connection.
func TestSilentFailover(t *testing.T) {
	const idle = 8
	c, proxy, calls := failover(t, idle, 2*time.Second)
	if err := listDeposits(context.Background(), c); upstream.KindOf(err) != upstream.KindTimeout {
		t.Fatalf("error = %v", err)
	}
	for range 3 {
		if err := listDeposits(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
	if proxy.dials.Load() != idle+1 || calls.Load() != idle+3 {
		t.Errorf("%d connections and %d calls, want %d and %d", proxy.dials.Load(), calls.Load(), idle+1, idle+3)
	}
}

// TestShortDeadlineKeepsConnections: timeouts of calls with a very short deadline do not close idle connections.
func TestShortDeadlineKeepsConnections(t *testing.T) {
	const idle = 8
	c, proxy, calls := failover(t, idle, waitLimit)
	for range idle - 1 {
		ctx, end := c.openSession(context.Background(), time.Now().Add(20*time.Millisecond))
		err := listDeposits(ctx, c)
		// A busy machine may begin the call in the second half of the 20 ms.
		if kind := upstream.KindOf(err); kind != upstream.KindTimeout && kind != upstream.KindOperationDeadline {
			t.Fatalf("error = %v", err)
		}
		end()
	}
	proxy.dropped.Store(0)
	if err := listDeposits(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	if proxy.dials.Load() != idle || calls.Load() != idle+1 {
		t.Errorf("%d connections and %d calls, want %d and %d", proxy.dials.Load(), calls.Load(), idle, idle+1)
	}
}
