package client_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Whatever the answer, sequential calls go over one connection.
func TestConnectionIsReused(t *testing.T) {
	var accepted atomic.Int32
	statuses := []int{200, 401, 200, 403, 404, 422, 429, 500, 200, 503, 302, 204, 418}
	var n atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := statuses[int(n.Add(1)-1)%len(statuses)]
		w.WriteHeader(status)
		if status == http.StatusOK {
			_, _ = w.Write([]byte(emptyPage))
		} else if status != http.StatusNoContent {
			_, _ = w.Write([]byte(`{"message":"canary"}`))
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			accepted.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	c := newClient(t, server.URL)
	for range 100 {
		_, err := c.Deposits(context.Background(), nil, client.PageRequest{})
		if kind := upstream.KindOf(err); err != nil && (kind == upstream.KindUnavailable || kind == upstream.KindTimeout) {
			t.Fatal(err)
		}
	}
	if calls, connections := n.Load(), accepted.Load(); calls != 100 || connections != 1 {
		t.Errorf("%d calls over %d connections, want 100 over 1", calls, connections)
	}
}

// idlePool is a server with as many idle connections to it as the test asked for; what it does with the next
// request on one of them is the test's to say.
type idlePool struct {
	*wireServer
	client *testClient
	broken atomic.Bool // reset a connection when a request comes over it
	fresh  atomic.Bool // but answer over new ones
}

func fillIdlePool(t *testing.T, connections int, changes ...func(*config)) *idlePool {
	t.Helper()
	pool := &idlePool{}
	var arrived sync.WaitGroup
	arrived.Add(connections)
	pool.wireServer = serveWire(t, func(w *wire) {
		fresh := pool.broken.Load()
		for first := true; ; first = false {
			if _, err := w.request(); err != nil {
				return
			}
			if pool.broken.Load() {
				if !pool.fresh.Load() || !fresh {
					w.reset()
					return
				}
			} else if first { // each connection is held until all are open
				arrived.Done()
				arrived.Wait()
			}
			if _, err := w.Write([]byte(ok(emptyPage))); err != nil {
				return
			}
		}
	})
	pool.client = newClient(t, pool.url, changes...)
	var calls sync.WaitGroup
	for range connections {
		calls.Go(func() {
			if _, err := pool.client.Deposits(context.Background(), nil, client.PageRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	pool.requests.Store(0)
	return pool
}

// http.Transport alone would send the request 21 times: once over each connection that turns out to be dead.
func TestResetConnectionsAreNoStorm(t *testing.T) {
	pool := fillIdlePool(t, 20)
	pool.broken.Store(true)
	_, err := pool.client.Deposits(context.Background(), nil, client.PageRequest{})
	if upstream.KindOf(err) != upstream.KindUnavailable || err == nil {
		t.Errorf("error = %v", err)
	}
	wantClean(t, err, pool.url)
	if got := pool.requests.Load(); got != 2 {
		t.Errorf("one call made %d requests, want 2", got)
	}
	// The pool is gone: the next call is made on a new connection, and is not repeated.
	_, err = pool.client.Deposits(context.Background(), nil, client.PageRequest{})
	if upstream.KindOf(err) != upstream.KindUnavailable || err == nil {
		t.Errorf("error = %v", err)
	}
	if got := pool.requests.Load(); got != 3 {
		t.Errorf("two calls made %d requests, want 3", got)
	}
}

// A service that restarts resets its old connections and serves new ones: the caller does not notice.
func TestADeadConnectionIsReplaced(t *testing.T) {
	pool := fillIdlePool(t, 20)
	pool.fresh.Store(true)
	pool.broken.Store(true)
	for range 5 {
		if _, err := pool.client.Deposits(context.Background(), nil, client.PageRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := pool.requests.Load(); got != 6 {
		t.Errorf("5 calls made %d requests, want 6", got)
	}
}

func TestParallelCallsAreNoStormEither(t *testing.T) {
	const calls = 20
	pool := fillIdlePool(t, calls)
	pool.broken.Store(true)
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			_, err := pool.client.Deposits(context.Background(), nil, client.PageRequest{})
			if upstream.KindOf(err) != upstream.KindUnavailable || err == nil {
				t.Errorf("error = %v", err)
			}
		})
	}
	group.Wait()
	if got := pool.requests.Load(); got > 2*calls {
		t.Errorf("%d calls made %d requests, want at most %d", calls, got, 2*calls)
	}
}

// An API whose connections cannot be made in time is unavailable, and the call is retried: it was never sent.
func TestConnectTimeoutIsRetried(t *testing.T) {
	var seen []client.Exchange
	server := serveWire(t, func(w *wire) { w.drain() }) // which never answers the handshake
	c := newClient(t, strings.Replace(server.url, "http:", "https:", 1), retrying(1), observed(&seen), func(c *config) {
		c.Timeout, c.ConnectTimeout = patience, 20*time.Millisecond
	})
	err := list(context.Background(), c)
	if upstream.KindOf(err) != upstream.KindUnavailable || len(seen) != 2 {
		t.Errorf("error = %v after %d attempts, want two", err, len(seen))
	}
	wantClean(t, err, server.url)
}
