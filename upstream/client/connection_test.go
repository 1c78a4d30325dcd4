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

// TestConnectionIsReused: sequential calls use one connection, whatever the status of the responses.
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

// idlePool is a server and a client with idle connections to it. The test controls how the server treats further requests.
type idlePool struct {
	*rawServer
	client *testClient
	broken atomic.Bool // reset a connection when a request arrives
	fresh  atomic.Bool // but respond over new connections
}

func fillIdlePool(t *testing.T, connections int, changes ...func(*config)) *idlePool {
	t.Helper()
	pool := &idlePool{}
	var arrived sync.WaitGroup
	arrived.Add(connections)
	pool.rawServer = serveRaw(t, func(w *rawConn) {
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
			} else if first { // hold the first request of each connection until all connections are open
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

// TestResetConnections: a call is sent twice at most. http.Transport would send it 21 times, once over each dead connection.
func TestResetConnections(t *testing.T) {
	pool := fillIdlePool(t, 20)
	pool.broken.Store(true)
	_, err := pool.client.Deposits(context.Background(), nil, client.PageRequest{})
	if upstream.KindOf(err) != upstream.KindUnavailable || err == nil {
		t.Errorf("error = %v", err)
	}
	wantNoSecrets(t, err, pool.url)
	if got := pool.requests.Load(); got != 2 {
		t.Errorf("one call made %d requests, want 2", got)
	}
	// The idle connections are closed: the next call uses a new connection, and is not sent again.
	_, err = pool.client.Deposits(context.Background(), nil, client.PageRequest{})
	if upstream.KindOf(err) != upstream.KindUnavailable || err == nil {
		t.Errorf("error = %v", err)
	}
	if got := pool.requests.Load(); got != 3 {
		t.Errorf("two calls made %d requests, want 3", got)
	}
}

// TestDeadConnectionIsReplaced: a service that restarts resets its old connections and serves new ones. The calls succeed.
func TestDeadConnectionIsReplaced(t *testing.T) {
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

// TestResetConnectionsInParallel is TestResetConnections with calls at the same time.
func TestResetConnectionsInParallel(t *testing.T) {
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

// TestConnectTimeoutIsRetried: if a connection times out, the API is unavailable, and the call is retried: it was never sent.
func TestConnectTimeoutIsRetried(t *testing.T) {
	var seen []client.Exchange
	server := serveRaw(t, func(w *rawConn) { w.drain() }) // it never responds to the handshake
	c := newClient(t, strings.Replace(server.url, "http:", "https:", 1), withRetries(1), recordExchanges(&seen), func(c *config) {
		c.Timeout, c.ConnectTimeout = waitLimit, 20*time.Millisecond
	})
	err := listDeposits(context.Background(), c)
	if upstream.KindOf(err) != upstream.KindUnavailable || len(seen) != 2 {
		t.Errorf("error = %v after %d attempts, want two", err, len(seen))
	}
	wantNoSecrets(t, err, server.url)
}
