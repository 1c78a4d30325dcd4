package client_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/http1"
)

// gate is a server that holds each request until the test releases it.
type gate struct {
	url     string
	arrived chan struct{} // receives a value for each request
	release chan struct{} // each value releases one request
	held    atomic.Int32  // requests
	maxHeld atomic.Int32
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{arrived: make(chan struct{}, 1000), release: make(chan struct{}, 1000)}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		held := g.held.Add(1)
		for peak := g.maxHeld.Load(); held > peak && !g.maxHeld.CompareAndSwap(peak, held); peak = g.maxHeld.Load() {
		}
		g.arrived <- struct{}{}
		select {
		case <-g.release:
		case <-r.Context().Done():
		}
		g.held.Add(-1)
		_, _ = w.Write([]byte(emptyPage))
	})
	g.url = server.URL
	return g
}

func listDeposits(ctx context.Context, c *testClient) error {
	_, err := c.Deposits(ctx, nil, client.PageRequest{})
	return err
}

// getNotification gets a notification whose id is ntf_01.
func getNotification(ctx context.Context, c *testClient) error {
	_, err := c.Notification(ctx, "ntf_01")
	return err
}

// releaseAll waits until as many requests are held as the limit allows, and then releases all calls.
func (g *gate) releaseAll(calls, limit int) {
	for range limit {
		<-g.arrived
	}
	for range calls {
		g.release <- struct{}{}
	}
}

func TestConcurrencyLimits(t *testing.T) {
	const calls = 40
	tests := []struct {
		name               string
		service, operation int
		operations         int // that share the calls; 0 for calls outside an operation
		want               int
	}{
		{"one operation", 100, 4, 1, 4},
		{"two operations", 100, 4, 2, 8},
		{"the share of the caller is lower", 10, 8, 1, 6}, // two are for calls in the background
		{"operations of a caller have its share", 6, 4, 2, 4},
		{"no operation", 5, 1, 0, 3},
		{"one at a time", 1, 1, 4, 1},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, func(c *config) {
				c.Concurrency, c.OperationConcurrency, c.Queue = tt.service, tt.operation, calls
			})
			contexts := []context.Context{context.Background()}
			for i := range tt.operations {
				ctx, end := c.openSession(context.Background(), time.Time{})
				defer end()
				contexts = append(contexts[:i], ctx)
			}
			var group sync.WaitGroup
			for i := range calls {
				group.Go(func() {
					wantOK(t, listDeposits(contexts[i%len(contexts)], c))
				})
			}
			synctest.Wait()
			g.releaseAll(calls, tt.want)
			group.Wait()
			if got := int(g.maxHeld.Load()); got != tt.want {
				t.Errorf("%d calls at the same time, want %d", got, tt.want)
			}
		})
	}
}

// TestLimitPerService: each service has its own limit. A slow service does not delay calls to the other.
func TestLimitPerService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		handler, _ := recordRequests(`{"id":"ntf_01"}`)
		dispatcher := serve(t, handler).URL
		c := newClient(t, g.url, func(c *config) { c.Concurrency, c.DispatcherURL = 1, dispatcher })
		held := make(chan error)
		go func() { held <- listDeposits(context.Background(), c) }()
		<-g.arrived
		wantOK(t, getNotification(context.Background(), c))
		g.release <- struct{}{}
		wantOK(t, <-held)
	})
}

// TestAbandonedCall: a call whose caller has left counts as in flight for a while, although its response has come. So a
// caller whose clients leave makes few calls for nobody.
func TestAbandonedCall(t *testing.T) {
	ofBoth(t, "calls", func(t *testing.T, newClient newClientFunc) {
		g := newGate(t)
		c := newClient(t, g.url, func(c *config) { c.Concurrency = 1 })
		ctx, leave := context.WithCancel(context.Background())
		left := make(chan error)
		go func() { left <- listDeposits(ctx, c) }()
		<-g.arrived
		leave()
		if err := <-left; upstream.KindOf(err) != upstream.KindCanceled {
			t.Errorf("error %v", err)
		}
		began := time.Now()
		g.release <- struct{}{}
		g.release <- struct{}{}
		wantOK(t, listDeposits(context.Background(), c))
		if waited := time.Since(began); waited != http1.DrainTime {
			t.Errorf("the next call waited %s", waited)
		}
		if s := c.Stats()[0]; s.InFlight != 0 {
			t.Errorf("%d calls in flight", s.InFlight)
		}
	})
}

// TestWaitersRelease: a call that ends while it waits for the service has the right kind of error, and releases its
// slot in the operation and in the queue.
func TestWaitersRelease(t *testing.T) {
	tests := []struct {
		name    string
		cancels bool
		want    upstream.Kind
	}{
		{"canceled", true, upstream.KindCanceled},
		{"deadline exceeded", false, upstream.KindUnavailable},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, func(c *config) {
				c.Concurrency, c.OperationConcurrency = 1, 1
			})
			operation, end := c.openSession(context.Background(), time.Time{})
			defer end()
			held := make(chan error)
			go func() { held <- listDeposits(context.Background(), c) }()
			<-g.arrived // a call outside the operation occupies the slot of the service
			for range 3 {
				ctx, cancel := context.WithTimeout(operation, time.Second)
				if tt.cancels {
					cancel()
				}
				err := listDeposits(ctx, c)
				cancel()
				if upstream.KindOf(err) != tt.want || err == nil {
					t.Errorf("error = %v, want kind %v", err, tt.want)
				}
				wantNoSecrets(t, err, g.url)
			}
			g.release <- struct{}{}
			wantOK(t, <-held)
			g.release <- struct{}{}
			if err := listDeposits(operation, c); err != nil {
				t.Errorf("the next call of the operation: %v", err)
			}
			if got := len(g.arrived); got != 1 {
				t.Errorf("%d calls after the first, want 1", got)
			}
		})
	}
}

// TestOperationDeadline: the deadline of an operation ends calls in flight and waiting calls, and no call begins after
// it. The kind of the errors says whose deadline it was.
func TestOperationDeadline(t *testing.T) {
	for name, want := range map[string]struct{ first, others upstream.Kind }{
		"the gateway's": {upstream.KindTimeout, upstream.KindOperationDeadline},
		"the client's":  {upstream.KindClientDeadline, upstream.KindClientDeadline},
	} {
		bubble(t, name, func(t *testing.T) {
			g := newGate(t)
			var seen []client.Exchange
			c := newClient(t, g.url, recordExchanges(&seen), func(c *config) {
				c.Concurrency, c.OperationConcurrency, c.Timeout, c.ByClient = 2, 1, time.Hour, want.first == upstream.KindClientDeadline
			})
			operation, end := c.openSession(context.Background(), time.Now().Add(shortTimeout))
			defer end()
			first, second := make(chan error), make(chan error)
			go func() { first <- listDeposits(operation, c) }()
			<-g.arrived
			go func() { second <- listDeposits(operation, c) }() // waits for the first
			if err := <-first; upstream.KindOf(err) != want.first {
				t.Errorf("first call: %v, want %s", err, want.first)
			}
			if err := <-second; upstream.KindOf(err) != want.others {
				t.Errorf("second call: %v, want %s", err, want.others)
			}
			if err := listDeposits(operation, c); upstream.KindOf(err) != want.others {
				t.Errorf("after the deadline: %v", err)
			}
			if more := len(g.arrived); more != 0 || len(seen) != 1 || upstream.KindOf(seen[0].Err) != want.first {
				t.Errorf("%d calls after the first; observed %+v", more, seen)
			}
		})
	}
}

// TestFailedCallsRelease: a call that fails in any way releases its slots.
func TestFailedCallsRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failures := []func(*rawConn){
			func(*rawConn) {},
			func(w *rawConn) { w.drain() },
			func(w *rawConn) { _, _ = w.Write([]byte("HTTP/1.1 500 canary\r\nContent-Length: 0\r\n\r\n")) },
			func(w *rawConn) { _, _ = w.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")) },
			func(w *rawConn) {
				_, _ = w.Write([]byte("HTTP/1.1 101 canary\r\nConnection: Upgrade\r\nUpgrade: canary\r\n\r\n"))
				w.drain()
			},
			func(w *rawConn) { _, _ = w.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")); w.drain() },
		}
		var n atomic.Int32
		server := serveRaw(t, func(w *rawConn) {
			if _, err := w.request(); err != nil {
				return
			}
			if i := int(n.Add(1)) - 1; i < len(failures) {
				failures[i](w)
				return
			}
			_, _ = w.Write([]byte(ok(emptyPage)))
		})
		c := newClient(t, server.url, withShortTimeout, func(c *config) { c.Concurrency, c.OperationConcurrency = 1, 1 })
		ctx, end := c.openSession(context.Background(), time.Time{})
		defer end()
		for i := range failures {
			if err := listDeposits(ctx, c); err == nil {
				t.Errorf("call %d did not fail", i)
			}
		}
		if err := listDeposits(ctx, c); err != nil {
			t.Errorf("after the failures: %v", err)
		}
	})
}
