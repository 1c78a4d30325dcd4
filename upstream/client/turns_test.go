package client_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// gate is a server that holds each request until the test lets one go.
type gate struct {
	url     string
	arrived chan struct{} // one for each request that has come
	release chan struct{} // takes one for each request that may go on
	inside  atomic.Int32
	most    atomic.Int32 // of inside, ever
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{arrived: make(chan struct{}, 1000), release: make(chan struct{}, 1000)}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		inside := g.inside.Add(1)
		for most := g.most.Load(); inside > most && !g.most.CompareAndSwap(most, inside); most = g.most.Load() {
		}
		g.arrived <- struct{}{}
		select {
		case <-g.release:
		case <-r.Context().Done():
		}
		g.inside.Add(-1)
		_, _ = w.Write([]byte(emptyPage))
	})
	g.url = server.URL
	return g
}

func list(ctx context.Context, c *testClient) error {
	_, err := c.Deposits(ctx, nil, client.PageRequest{})
	return err
}

// open waits until as many requests are inside as the bound allows, and then lets all calls go.
func (g *gate) open(calls, bound int) {
	for range bound {
		<-g.arrived
	}
	for range calls {
		g.release <- struct{}{}
	}
}

func TestBounds(t *testing.T) {
	const calls = 40
	tests := []struct {
		name               string
		service, operation int
		operations         int // that share the calls; 0 for calls of no operation
		want               int
	}{
		{"one operation", 100, 4, 1, 4},
		{"two operations", 100, 4, 2, 8},
		{"the service's bound is the lower", 3, 4, 1, 3},
		{"operations share the service's bound", 6, 4, 2, 6},
		{"no operation", 5, 1, 0, 5},
		{"one at a time", 1, 1, 4, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, func(c *config) {
				c.Concurrency, c.OperationConcurrency, c.Queue = tt.service, tt.operation, calls
			})
			contexts := []context.Context{context.Background()}
			for i := range tt.operations {
				ctx, end := c.within(context.Background(), time.Time{})
				defer end()
				contexts = append(contexts[:i], ctx)
			}
			var group sync.WaitGroup
			for i := range calls {
				group.Go(func() {
					if err := list(contexts[i%len(contexts)], c); err != nil {
						t.Error(err)
					}
				})
			}
			g.open(calls, tt.want)
			group.Wait()
			if got := int(g.most.Load()); got != tt.want {
				t.Errorf("%d calls at once, want %d", got, tt.want)
			}
		})
	}
}

// The two services have a bound each: one that is slow does not keep the other waiting.
func TestServicesWaitForThemselvesOnly(t *testing.T) {
	g := newGate(t)
	handler, _ := recording(`{"id":"ntf_01"}`)
	dispatcher := serve(t, handler).URL
	c := newClient(t, g.url, func(c *config) { c.Concurrency, c.DispatcherURL = 1, dispatcher })
	held := make(chan error)
	go func() { held <- list(context.Background(), c) }()
	<-g.arrived
	if _, err := c.Notification(context.Background(), "ntf_01"); err != nil {
		t.Error(err)
	}
	g.release <- struct{}{}
	if err := <-held; err != nil {
		t.Error(err)
	}
}

// A waiter that gives up says why, and leaves no place taken: neither the operation's, which it has, nor the
// service's, which it waits for.
func TestWaitersGiveUp(t *testing.T) {
	tests := []struct {
		name string
		wait func(context.Context) (context.Context, context.CancelFunc)
		want upstream.Kind
	}{
		{"canceled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, upstream.KindCanceled},
		{"at its deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, upstream.KindUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t)
			c := newClient(t, g.url, func(c *config) {
				c.Concurrency, c.OperationConcurrency, c.Timeout = 1, 1, patience
			})
			operation, end := c.within(context.Background(), time.Time{})
			defer end()
			held := make(chan error)
			go func() { held <- list(context.Background(), c) }()
			<-g.arrived // the service's place is taken by a call of no operation
			for range 3 {
				ctx, cancel := tt.wait(operation)
				err := list(ctx, c)
				cancel()
				if upstream.KindOf(err) != tt.want || err == nil {
					t.Errorf("error = %v, want kind %v", err, tt.want)
				}
				wantClean(t, err, g.url)
			}
			g.release <- struct{}{}
			if err := <-held; err != nil {
				t.Error(err)
			}
			g.release <- struct{}{}
			if err := list(operation, c); err != nil {
				t.Errorf("the next call of the operation: %v", err)
			}
			if got := len(g.arrived); got != 1 {
				t.Errorf("%d calls after the first, want 1", got)
			}
		})
	}
}

// The deadline of an operation ends its calls wherever they are, and none begins after it.
func TestDeadlineOfAnOperation(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	c := newClient(t, g.url, func(c *config) { c.Concurrency, c.OperationConcurrency, c.Timeout = 2, 1, time.Hour })
	operation, end := c.within(context.Background(), time.Now().Add(lateness))
	defer end()
	ended := make(chan error)
	go func() { ended <- list(operation, c) }()
	<-g.arrived
	go func() { ended <- list(operation, c) }() // waits for the one before
	for range 2 {
		if err := <-ended; upstream.KindOf(err) != upstream.KindTimeout {
			t.Errorf("error = %v, want a timeout", err)
		}
	}
	if err := list(operation, c); upstream.KindOf(err) != upstream.KindTimeout {
		t.Errorf("after the deadline: %v", err)
	}
	if more := len(g.arrived); more != 0 {
		t.Errorf("%d calls after the first", more)
	}
}

// A call that fails gives its places back, however it fails.
func TestFailedCallsGiveTheirPlacesBack(t *testing.T) {
	t.Parallel()
	failures := []func(*wire){
		func(*wire) {},
		func(w *wire) { w.drain() },
		func(w *wire) { _, _ = w.Write([]byte("HTTP/1.1 500 canary\r\nContent-Length: 0\r\n\r\n")) },
		func(w *wire) { _, _ = w.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")) },
		func(w *wire) {
			_, _ = w.Write([]byte("HTTP/1.1 101 canary\r\nConnection: Upgrade\r\nUpgrade: canary\r\n\r\n"))
			w.drain()
		},
		func(w *wire) { _, _ = w.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")); w.drain() },
	}
	var n atomic.Int32
	server := serveWire(t, func(w *wire) {
		if _, err := w.request(); err != nil {
			return
		}
		if i := int(n.Add(1)) - 1; i < len(failures) {
			failures[i](w)
			return
		}
		_, _ = w.Write([]byte(ok(emptyPage)))
	})
	c := newClient(t, server.url, short, func(c *config) { c.Concurrency, c.OperationConcurrency = 1, 1 })
	ctx, end := c.within(context.Background(), time.Time{})
	defer end()
	for i := range failures {
		if err := list(ctx, c); err == nil {
			t.Errorf("call %d did not fail", i)
		}
	}
	if err := list(ctx, c); err != nil {
		t.Errorf("after the failures: %v", err)
	}
}
