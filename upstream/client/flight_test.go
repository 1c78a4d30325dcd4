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

// who makes a call: a key of the context for each of them.
type (
	flyerKey  struct{}
	bearerKey struct{}
)

// as is the context of a caller with a token.
func as(caller, bearer string) context.Context {
	return context.WithValue(context.WithValue(context.Background(), flyerKey{}, caller), bearerKey{}, bearer)
}

// coalescing has the same calls of one caller made once.
func coalescing(c *config) {
	c.Coalesce = true
	c.Caller = func(ctx context.Context) string { caller, _ := ctx.Value(flyerKey{}).(string); return caller }
	c.Token = func(ctx context.Context) string { bearer, _ := ctx.Value(bearerKey{}).(string); return bearer }
}

// Calls are made once when they are the same in everything, and under way at the same time.
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
		{"the same list", list, list, as("a", "t"), as("a", "t"), 1},
		{"the same record", lookup(uuid), lookup(uuid), as("a", "t"), as("a", "t"), 1},
		{"two records", lookup(uuid), lookup(other), as("a", "t"), as("a", "t"), 2},
		{"a list and a record", list, lookup(uuid), as("a", "t"), as("a", "t"), 2},
		{"two callers", list, list, as("a", "t"), as("b", "u"), 2},
		{"two tokens of one caller", list, list, as("a", "t"), as("a", "u"), 2},
		{"nobody knows who", list, list, as("", "t"), as("", "t"), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, coalescing)
			var calls sync.WaitGroup
			calls.Go(func() { _ = tt.first(tt.a, c) })
			<-g.arrived
			calls.Go(func() { _ = tt.second(tt.b, c) })
			if tt.calls == 1 {
				await(t, "the second to join", func() bool { return c.Joined() == 1 })
			} else {
				<-g.arrived
			}
			g.open(2, 0)
			calls.Wait()
			if more := len(g.arrived); more != 0 || c.Stats()[0].Coalesced != uint64(2-tt.calls) {
				t.Errorf("%d more calls; %+v", more, c.Stats()[0])
			}
		})
	}
}

// Who joined is told of the call as one that somebody else made: when it waited, and what came of it.
func TestCoalescedIsObserved(t *testing.T) {
	g := newGate(t)
	told := make(chan client.Exchange, 3)
	c := newClient(t, g.url, coalescing, func(c *config) {
		c.Observe = func(ctx context.Context, e client.Exchange) {
			if caller := ctx.Value(flyerKey{}); e.Coalesced != (caller != "leads") {
				t.Errorf("%v was told %+v", caller, e)
			}
			if e.Coalesced {
				told <- e
			}
		}
	})
	named := func(name string) context.Context { return as(name, "t") } // calls are told apart by their token alone
	var calls sync.WaitGroup
	calls.Go(func() { _ = list(named("leads"), c) })
	<-g.arrived
	gone, cancel := context.WithCancel(named("goes"))
	calls.Go(func() { _ = list(gone, c) })
	calls.Go(func() { _ = list(named("waits"), c) })
	await(t, "two to join", func() bool { return c.Joined() == 2 })
	cancel()
	left := <-told
	g.open(1, 0)
	calls.Wait()
	stayed := <-told
	if left.Status != 0 || upstream.KindOf(left.Err) != upstream.KindCanceled || left.Bytes != 0 {
		t.Errorf("who went away was told %+v", left)
	}
	if stayed.Status != 200 || stayed.Err != nil || stayed.Bytes != len(emptyPage) || stayed.Attempt != 0 || stayed.EncodedBytes != 0 {
		t.Errorf("who stayed was told %+v", stayed)
	}
	for _, e := range []client.Exchange{left, stayed} {
		if e.Service != upstream.Core || e.Route != "/deposit" || e.Start.IsZero() || e.Duration <= 0 || e.Waited < 0 {
			t.Errorf("told %+v", e)
		}
	}
	if len(told) != 0 {
		t.Error("somebody was told twice")
	}
}

// Nobody who joined is failed by another who goes away, or has less time, whether that one made the call or waits for it
// too.
func TestNobodyFailsTheOthers(t *testing.T) {
	const others = 5
	tests := []struct {
		leads bool
		time  time.Duration // of the operation; 0 where its caller goes away
		want  upstream.Kind
	}{
		{true, 0, upstream.KindCanceled},
		{false, 0, upstream.KindCanceled},
		{true, lateness, upstream.KindTimeout},
		{false, lateness, upstream.KindTimeout},
	}
	for _, tt := range tests {
		leads := tt.leads
		t.Run(fmt.Sprintf("who leads: %v, %v", leads, tt.want), func(t *testing.T) {
			t.Parallel()
			g := newGate(t)
			c := newClient(t, g.url, coalescing, func(c *config) { c.Timeout = patience })
			gone, cancel := context.WithCancel(as("a", "t"))
			defer cancel()
			if tt.time > 0 {
				operation, end := c.within(gone, time.Now().Add(tt.time))
				defer end()
				gone = operation
			}
			left, stayed := make(chan error, 1), make(chan error, others)
			leave := func() { left <- list(gone, c) }
			stay := func() { stayed <- list(as("a", "t"), c) }
			if leads {
				go leave()
			} else {
				go stay()
			}
			<-g.arrived
			if !leads {
				go leave()
			}
			for range others - 1 {
				go stay()
			}
			if leads {
				go stay()
			}
			await(t, "all to join", func() bool { return c.Joined() == others })
			if tt.time == 0 {
				cancel()
			}
			if err := <-left; upstream.KindOf(err) != tt.want {
				t.Errorf("who went away: %v", err)
			}
			if leads {
				<-g.arrived // one of the others makes the call now
				await(t, "the others to join it", func() bool { return c.Joined() == others-1 })
			}
			g.open(2, 0) // the server may not have noticed yet that the first has gone
			for range others {
				if err := <-stayed; err != nil {
					t.Errorf("who stayed: %v", err)
				}
			}
			if more := len(g.arrived); more != 0 {
				t.Errorf("%d more calls", more)
			}
		})
	}
}

// An error is told to all, to each by itself: a list changes what it gets.
func TestErrorsAreShared(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		w.WriteHeader(http.StatusNotFound)
	})
	c := newClient(t, server.URL, coalescing)
	got := make(chan error, 3)
	ask := func() { got <- list(as("a", "t"), c) }
	go ask()
	<-arrived
	go ask()
	go ask()
	await(t, "two to join", func() bool { return c.Joined() == 2 })
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

// What one operation read stays as it is when another that shares it ends. With the race detector, memory that is given
// back is overwritten.
func TestSharedBodiesAreNotGivenBack(t *testing.T) {
	var n atomic.Int32
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		arrived <- struct{}{}
		<-release
		_, _ = w.Write([]byte(`{"id":"ntf_01","hash":"kept"}`))
	})
	c := newClient(t, server.URL, coalescing)
	type read struct {
		notification *upstream.Notification
		end          func()
	}
	reads := make(chan read, 2)
	ask := func() {
		ctx, end := c.within(as("a", "t"), time.Time{})
		notification, err := c.Notification(ctx, "ntf_01")
		if err != nil {
			t.Error(err)
		}
		reads <- read{notification, end}
	}
	go ask()
	<-arrived
	go ask()
	await(t, "the second to join", func() bool { return c.JoinedDispatcher() == 1 })
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

// One after the other, calls are made anew: nothing is remembered.
func TestNothingIsRemembered(t *testing.T) {
	handler, calls := inTurn(answering(emptyPage))
	c := newClient(t, serve(t, handler).URL, coalescing)
	for range 3 {
		if err := list(as("a", "t"), c); err != nil {
			t.Fatal(err)
		}
	}
	if calls.Load() != 3 || c.Stats()[0].Coalesced != 0 {
		t.Errorf("%d calls", calls.Load())
	}
}
