package client_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/quota"
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

// oneAtATime has the calls of an API wait for each other.
func oneAtATime(c *config) { c.Concurrency = 1 }

// occupy makes a call that holds the only place of the API until the gate releases it. Calls that follow wait to be
// sent.
func (g *gate) occupy(c *testClient) {
	go func() { _, _ = c.Deposits(callContext("leader", "other"), nil, client.PageRequest{}) }()
	<-g.arrived
}

// TestSentCallIsNotJoined: the response to a call that was sent may be older than the question of the next one, which
// is sent too. Reads of streams neither join other calls nor are joined, because a change may have caused them.
func TestSentCallIsNotJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := newClient(t, g.url, withCoalescing)
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() { _ = listDeposits(callContext("a", "t"), c) })
			<-g.arrived
		}
		g.releaseAll(2, 0)
		calls.Wait()
		if n := c.Stats()[0].Coalesced; n != 0 {
			t.Errorf("%d calls joined", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := newClient(t, g.url, withCoalescing, oneAtATime)
		g.occupy(c)
		for _, seen := range []*client.Digest{nil, new(client.Digest), nil} {
			session := c.Open(client.Operation{Bearer: "t", Caller: "a", Seen: seen})
			go func() { _, _ = session.DepositsBody(t.Context()) }()
			synctest.Wait()
		}
		wantJoined(t, c, 1)
		g.releaseAll(3, 0)
		synctest.Wait()
		if n := c.Stats()[0].Coalesced; n != 1 || len(g.arrived) != 2 {
			t.Errorf("%d calls joined, %d requests", n, len(g.arrived))
		}
	})
}

// TestReadyCallsAreJoined: while the processors are busy, a call whose response is large is sent after the goroutines
// that are ready to make the same call. How many these are depends on the runtime; with one processor there is one.
func TestReadyCallsAreJoined(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		page := `{"deposits":[],"unknown":"` + strings.Repeat("x", 5000) + `"}`
		var made atomic.Int32
		c := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			made.Add(1)
			_, _ = io.WriteString(w, page)
		}).URL, withCoalescing)
		_ = listDeposits(callContext("b", "other"), c) // the size is known after it
		turn, err := quota.NewTurns(1, quota.DefaultPiece).Take(t.Context(), "a", 0)
		must(t, err)
		defer turn.End()
		const calls = 10
		var ended sync.WaitGroup
		for range calls {
			session := c.Open(client.Operation{Bearer: "t", Caller: "a", Turn: turn})
			ended.Go(func() { _, _ = session.DepositsBody(t.Context()) })
		}
		ended.Wait()
		if joined := int(c.Stats()[0].Coalesced); joined == 0 || int(made.Load()) != 1+calls-joined {
			t.Errorf("%d calls joined, %d requests", joined, made.Load()-1)
		}
	})
}

// TestCoalescing: identical calls that wait to be sent at the same time share one request.
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
		bubble(t, tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, withCoalescing, oneAtATime)
			g.occupy(c)
			var calls sync.WaitGroup
			calls.Go(func() { _ = tt.first(tt.a, c) })
			synctest.Wait()
			calls.Go(func() { _ = tt.second(tt.b, c) })
			wantJoined(t, c, 2-tt.calls)
			g.releaseAll(3, 0)
			calls.Wait()
			if made := len(g.arrived); made != tt.calls || c.Stats()[0].Coalesced != uint64(2-tt.calls) {
				t.Errorf("%d requests; %+v", made, c.Stats()[0])
			}
		})
	}
}

// TestCoalescedIsObserved: the observer of a call that joined another one gets an Exchange with the time of its wait
// and the result.
func TestCoalescedIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		observed := make(chan client.Exchange, 3)
		c := newClient(t, g.url, withCoalescing, oneAtATime, func(c *config) {
			c.Observe = func(ctx context.Context, e client.Exchange) {
				if caller := ctx.Value(callerKey{}); e.Coalesced != (caller != "leader") {
					t.Errorf("%v: observed %+v", caller, e)
				}
				if e.Coalesced {
					observed <- e
				}
			}
		})
		g.occupy(c)
		began := time.Now()
		named := func(name string) context.Context { return callContext(name, "t") } // calls with the same token are identical
		var calls sync.WaitGroup
		calls.Go(func() { _ = listDeposits(named("leader"), c) })
		synctest.Wait()
		cancelled, cancel := context.WithCancel(named("cancelled"))
		calls.Go(func() { _ = listDeposits(cancelled, c) })
		calls.Go(func() { _ = listDeposits(named("waiter"), c) })
		wantJoined(t, c, 2)
		time.Sleep(time.Second)
		cancel()
		first := <-observed
		time.Sleep(time.Second)
		g.releaseAll(2, 0)
		calls.Wait()
		second := <-observed
		if first.Status != 0 || upstream.KindOf(first.Err) != upstream.KindCanceled || first.Bytes != 0 {
			t.Errorf("the cancelled call: observed %+v", first)
		}
		if second.Status != 200 || second.Err != nil || second.Bytes != len(emptyPage) || second.Attempt != 0 || second.EncodedBytes != 0 {
			t.Errorf("the waiter: observed %+v", second)
		}
		for i, e := range []client.Exchange{first, second} {
			duration := time.Duration(i+1) * time.Second
			if e.Service != upstream.Core || e.Route != "/deposit" || !e.Start.Equal(began) || e.Duration != duration || e.Waited != 0 {
				t.Errorf("observed %+v", e)
			}
		}
		if len(observed) != 0 {
			t.Error("an exchange was observed twice")
		}
	})
}

// TestCancelledCallsFailAlone: a coalesced call that is cancelled, or times out, does not fail the others, whether it
// is the leader or a waiter.
func TestCancelledCallsFailAlone(t *testing.T) {
	const others = 5
	tests := []struct {
		name    string
		at      int           // among the calls: the first one is the leader
		timeout time.Duration // of the operation; 0 to cancel it
		want    upstream.Kind
	}{
		{"the leader is cancelled", 0, 0, upstream.KindCanceled},
		{"a waiter is cancelled", 1, 0, upstream.KindCanceled},
		{"the time of the leader ends", 0, shortTimeout, upstream.KindUnavailable}, // in the queue
		{"the time of a waiter ends", 1, shortTimeout, upstream.KindTimeout},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			g := newGate(t)
			c := newClient(t, g.url, withCoalescing, oneAtATime, func(c *config) { c.Timeout = time.Minute })
			g.occupy(c)
			ctx, cancel := context.WithCancel(callContext("a", "t"))
			defer cancel()
			if tt.timeout > 0 {
				operation, end := c.openSession(ctx, time.Now().Add(tt.timeout))
				defer end()
				ctx = operation
			}
			failed, succeeded := make(chan error, 1), make(chan error, others)
			for i := range 1 + others {
				if i == tt.at {
					go func() { failed <- listDeposits(ctx, c) }()
				} else {
					go func() { succeeded <- listDeposits(callContext("a", "t"), c) }()
				}
				synctest.Wait()
			}
			wantJoined(t, c, others)
			if tt.timeout == 0 {
				cancel()
			}
			if err := <-failed; upstream.KindOf(err) != tt.want {
				t.Errorf("the call with the shorter life: %v", err)
			}
			if tt.at == 0 {
				wantJoined(t, c, others-1) // one of the others is the leader now
			}
			g.releaseAll(2, 0)
			for range others {
				if err := <-succeeded; err != nil {
					t.Errorf("another call: %v", err)
				}
			}
			if made := len(g.arrived); made != 1 {
				t.Errorf("%d requests", made)
			}
		})
	}
}
