package client_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// idlePool is a server and a client with idle connections to it. The test controls how the server treats further
// requests.
type idlePool struct {
	*rawServer
	client *testClient
	broken atomic.Bool // reset a connection when a request arrives
}

func fillIdlePool(t *testing.T, connections int, changes ...func(*config)) *idlePool {
	t.Helper()
	pool := &idlePool{}
	var arrived sync.WaitGroup
	arrived.Add(connections)
	pool.rawServer = serveRaw(t, func(w *rawConn) {
		for first := true; ; first = false {
			if _, err := w.request(); err != nil {
				return
			}
			if pool.broken.Load() {
				w.reset()
				return
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
			wantOK(t, listDeposits(context.Background(), pool.client))
		})
	}
	calls.Wait()
	pool.requests.Store(0)
	return pool
}

// TestConnectTimeoutIsRetried: if a connection times out, the API is unavailable, and the call is retried: it was never
// sent.
func TestConnectTimeoutIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []client.Exchange
		server := serveRaw(t, func(w *rawConn) { w.drain() }) // it never responds to the handshake
		c := newClient(t, strings.Replace(server.url, "http:", "https:", 1), withRetries(1), recordExchanges(&seen), func(c *config) {
			c.Timeout, c.ConnectTimeout = time.Minute, time.Second
		})
		err := listDeposits(context.Background(), c)
		if upstream.KindOf(err) != upstream.KindUnavailable || len(seen) != 2 {
			t.Errorf("error = %v after %d attempts, want two", err, len(seen))
		}
		wantNoSecrets(t, err, server.url)
	})
}
