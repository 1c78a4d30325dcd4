package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// callContext returns the context of a call with a caller and a token.
func callContext(caller, bearer string) context.Context {
	return context.WithValue(context.WithValue(context.Background(), callerKey{}, caller), bearerKey{}, bearer)
}

// withCoalescing turns coalescing on, for calls with a callContext.
func withCoalescing(c *config) {
	c.Coalesce = true
	withCallers(c)
	c.Token = func(ctx context.Context) string { bearer, _ := ctx.Value(bearerKey{}).(string); return bearer }
}

// TestCoalescing: identical calls that are in flight at the same time share one request.
func TestCoalescing(t *testing.T) {
	lookup := func(id string) func(context.Context, *testClient) error {
		return func(ctx context.Context, c *testClient) error { _, err := c.Transaction(ctx, id); return err }
	}
	const other = "c2b0e1a4-6d0f-4b8e-9d51-5a2f6f1e7b02"
	tests := []struct {
		name          string
		first, second func(context.Context, *testClient) error
		a, b          context.Context
		calls         int
	}{
		{"the same list", listDeposits, listDeposits, callContext("a", "t"), callContext("a", "t"), 1},
		{"the same record", lookup(uuid), lookup(uuid), callContext("a", "t"), callContext("a", "t"), 1},
		{"two records", lookup(uuid), lookup(other), callContext("a", "t"), callContext("a", "t"), 2},
		{"a list and a record", listDeposits, lookup(uuid), callContext("a", "t"), callContext("a", "t"), 2},
		{"two callers", listDeposits, listDeposits, callContext("a", "t"), callContext("b", "u"), 2},
		{"two tokens of one caller", listDeposits, listDeposits, callContext("a", "t"), callContext("a", "u"), 2},
		{"unknown caller", listDeposits, listDeposits, callContext("", "t"), callContext("", "t"), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, withCoalescing)
			var calls sync.WaitGroup
			calls.Go(func() { _ = tt.first(tt.a, c) })
			<-g.arrived
			calls.Go(func() { _ = tt.second(tt.b, c) })
			if tt.calls == 1 {
				waitFor(t, "the second call to join", func() bool { return c.JoinedCore() == 1 })
			} else {
				<-g.arrived
			}
			g.releaseAll(2, 0)
			calls.Wait()
			if more := len(g.arrived); more != 0 || c.Stats()[0].Coalesced != uint64(2-tt.calls) {
				t.Errorf("%d further requests; %+v", more, c.Stats()[0])
			}
		})
	}
}

// TestCoalescedIsObserved: the observer of a call that joined another one gets an Exchange with the time of its wait
// and the result.
func TestCoalescedIsObserved(t *testing.T) {
	g := newGate(t)
	observed := make(chan client.Exchange, 3)
	c := newClient(t, g.url, withCoalescing, func(c *config) {
		c.Observe = func(ctx context.Context, e client.Exchange) {
			if caller := ctx.Value(callerKey{}); e.Coalesced != (caller != "leader") {
				t.Errorf("%v: observed %+v", caller, e)
			}
			if e.Coalesced {
				observed <- e
			}
		}
	})
	named := func(name string) context.Context { return callContext(name, "t") } // calls with the same token are identical
	var calls sync.WaitGroup
	calls.Go(func() { _ = listDeposits(named("leader"), c) })
	<-g.arrived
	cancelled, cancel := context.WithCancel(named("cancelled"))
	calls.Go(func() { _ = listDeposits(cancelled, c) })
	calls.Go(func() { _ = listDeposits(named("waiter"), c) })
	waitFor(t, "two calls to join", func() bool { return c.JoinedCore() == 2 })
	cancel()
	first := <-observed
	g.releaseAll(1, 0)
	calls.Wait()
	second := <-observed
	if first.Status != 0 || upstream.KindOf(first.Err) != upstream.KindCanceled || first.Bytes != 0 {
		t.Errorf("the cancelled call: observed %+v", first)
	}
	if second.Status != 200 || second.Err != nil || second.Bytes != len(emptyPage) || second.Attempt != 0 || second.EncodedBytes != 0 {
		t.Errorf("the waiter: observed %+v", second)
	}
	for _, e := range []client.Exchange{first, second} {
		if e.Service != upstream.Core || e.Route != "/deposit" || e.Start.IsZero() || e.Duration <= 0 || e.Waited < 0 {
			t.Errorf("observed %+v", e)
		}
	}
	if len(observed) != 0 {
		t.Error("an exchange was observed twice")
	}
}

// TestCancelledCallsFailAlone: a coalesced call that is cancelled, or times out, does not fail the others, whether it
// is the leader or a waiter.
func TestCancelledCallsFailAlone(t *testing.T) {
	const others = 5
	tests := []struct {
		leader  bool
		timeout time.Duration // of the operation; 0 to cancel it
		want    upstream.Kind
	}{
		{true, 0, upstream.KindCanceled},
		{false, 0, upstream.KindCanceled},
		{true, shortTimeout, upstream.KindTimeout},
		{false, shortTimeout, upstream.KindTimeout},
	}
	for _, tt := range tests {
		leader := tt.leader
		bubble(t, fmt.Sprintf("leader %v, %v", leader, tt.want), func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, withCoalescing, func(c *config) { c.Timeout = waitLimit })
			ctx, cancel := context.WithCancel(callContext("a", "t"))
			defer cancel()
			if tt.timeout > 0 {
				operation, end := c.openSession(ctx, time.Now().Add(tt.timeout))
				defer end()
				ctx = operation
			}
			failed, succeeded := make(chan error, 1), make(chan error, others)
			failing := func() { failed <- listDeposits(ctx, c) }
			succeeding := func() { succeeded <- listDeposits(callContext("a", "t"), c) }
			if leader {
				go failing()
			} else {
				go succeeding()
			}
			<-g.arrived
			if !leader {
				go failing()
			}
			for range others - 1 {
				go succeeding()
			}
			if leader {
				go succeeding()
			}
			waitFor(t, "all calls to join", func() bool { return c.JoinedCore() == others })
			if tt.timeout == 0 {
				cancel()
			}
			if err := <-failed; upstream.KindOf(err) != tt.want {
				t.Errorf("the call with the shorter life: %v", err)
			}
			if leader {
				<-g.arrived // one of the others is the leader now
				waitFor(t, "the others to join", func() bool { return c.JoinedCore() == others-1 })
			}
			g.releaseAll(2, 0) // the server may not have noticed yet that the first call was cancelled
			for range others {
				if err := <-succeeded; err != nil {
					t.Errorf("another call: %v", err)
				}
			}
			if more := len(g.arrived); more != 0 {
				t.Errorf("%d further requests", more)
			}
		})
	}
}

// TestSharedErrors: each coalesced call gets its own copy of an error, because a list modifies it.
func TestSharedErrors(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		w.WriteHeader(http.StatusNotFound)
	})
	c := newClient(t, server.URL, withCoalescing)
	got := make(chan error, 3)
	call := func() { got <- listDeposits(callContext("a", "t"), c) }
	go call()
	<-arrived
	go call()
	go call()
	waitFor(t, "two calls to join", func() bool { return c.JoinedCore() == 2 })
	close(release)
	seen := map[*upstream.Error]bool{}
	for range cap(got) {
		var failed *upstream.Error
		if err := <-got; !errors.As(err, &failed) || failed.Kind != upstream.KindInvalidResponse || failed.Status != 404 || seen[failed] {
			t.Errorf("%#v", failed)
		}
		seen[failed] = true
	}
}

// TestSharedBodiesAreNotPooled: the end of one operation does not change the records of another one that shares the
// body. With the race detector, memory that returns to the pool is overwritten.
func TestSharedBodiesAreNotPooled(t *testing.T) {
	var n atomic.Int32
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		arrived <- struct{}{}
		<-release
		_, _ = w.Write([]byte(`{"id":"ntf_01","hash":"kept"}`))
	})
	c := newClient(t, server.URL, withCoalescing)
	type read struct {
		notification *upstream.Notification
		end          func()
	}
	reads := make(chan read, 2)
	call := func() {
		ctx, end := c.openSession(callContext("a", "t"), time.Time{})
		notification, err := c.Notification(ctx, "ntf_01")
		if err != nil {
			t.Error(err)
		}
		reads <- read{notification, end}
	}
	go call()
	<-arrived
	go call()
	waitFor(t, "the second call to join", func() bool { return c.JoinedDispatcher() == 1 })
	close(release)
	first, second := <-reads, <-reads
	first.end()
	if hash, err := second.notification.Hash(); err != nil || hash.String() != "kept" {
		t.Errorf("%s, %v", hash, err)
	}
	second.end()
	if n.Load() != 1 {
		t.Errorf("%d calls", n.Load())
	}
}

// TestBackgroundCallFailsAlone: a call that joined a call of low priority, which is not retried, is.
func TestBackgroundCallFailsAlone(t *testing.T) {
	var calls atomic.Int32
	arrived, release := make(chan struct{}), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) > 1 {
			_, _ = w.Write([]byte(emptyPage))
			return
		}
		close(arrived)
		<-release
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	c := newClient(t, server.URL, withCoalescing)
	background, joined := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.Open(client.Operation{Bearer: "t", Caller: "a", Background: true}).Deposits(context.Background(), nil, client.PageRequest{})
		background <- err
	}()
	<-arrived
	go func() { joined <- listDeposits(callContext("a", "t"), c) }()
	waitFor(t, "the call to join", func() bool { return c.JoinedCore() == 1 })
	close(release)
	if err := <-background; upstream.KindOf(err) != upstream.KindServerError {
		t.Errorf("the call of low priority: %v", err)
	}
	if err := <-joined; err != nil {
		t.Errorf("the call that joined it: %v", err)
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// TestNoCache: calls that are made one after the other are not coalesced.
func TestNoCache(t *testing.T) {
	handler, calls := sequence(respondWith(emptyPage))
	c := newClient(t, serve(t, handler).URL, withCoalescing)
	for range 3 {
		if err := listDeposits(callContext("a", "t"), c); err != nil {
			t.Fatal(err)
		}
	}
	if calls.Load() != 3 || c.Stats()[0].Coalesced != 0 {
		t.Errorf("%d calls", calls.Load())
	}
}
