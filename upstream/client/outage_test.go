package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// failingCalls is the least number of failed calls, each of another caller for another record, that opens the breaker
// of a service.
const failingCalls = 3

// nthTransaction is a call of the nth caller for the nth record.
func nthTransaction(c *testClient, n int) error {
	ctx := context.WithValue(context.Background(), callerKey{}, fmt.Sprint(n))
	_, err := c.Transaction(ctx, fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
	return err
}

// withCallers lets the context of a call name its caller.
func withCallers(c *config) {
	c.Caller = func(ctx context.Context) string { caller, _ := ctx.Value(callerKey{}).(string); return caller }
}

// TestBreakerOpensPerService: the breaker of a service that fails opens and that of the other does not. When the
// service recovers, the breaker closes.
func TestBreakerOpensPerService(t *testing.T) { ofBoth(t, "calls", testBreakerOpensPerService) }

func testBreakerOpensPerService(t *testing.T, newClient newClientFunc) {
	const wait = 2 * shortTimeout // much longer than the calls before its end take
	var down atomic.Bool
	down.Store(true)
	var calls atomic.Int32
	core := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if down.Load() {
			status(500)(w, r)
			return
		}
		respondWith(`{"id":"`+path.Base(r.URL.Path)+`"}`)(w, r)
	})
	dispatcher := serve(t, respondWith(`{"id":"ntf_01"}`))
	c := newClient(t, core.URL, withRetries(1), withCallers, func(c *config) {
		c.DispatcherURL = dispatcher.URL
		c.Breaker = client.BreakerConfig{Percent: 50, Calls: failingCalls, Window: time.Hour, Wait: wait}
	})
	for i := range failingCalls {
		if err := nthTransaction(c, i); upstream.KindOf(err) != upstream.KindServerError {
			t.Fatal(err)
		}
	}
	var failed *upstream.Error
	err := nthTransaction(c, failingCalls)
	if !errors.As(err, &failed) || failed.Kind != upstream.KindUnavailable || failed.RetryAfter <= 0 || failed.RetryAfter > wait+wait/4 {
		t.Errorf("error = %#v", failed)
	}
	if calls.Load() != failingCalls {
		t.Errorf("%d calls, want %d", calls.Load(), failingCalls)
	}
	if s := c.Stats(); s[0].Breaker != "open" || s[0].Shed != 1 || s[0].Retries != 0 || s[1].Breaker != "closed" {
		t.Errorf("%+v", s)
	}
	if _, err := c.Notification(context.Background(), "ntf_01"); err != nil {
		t.Errorf("the other service: %v", err)
	}
	down.Store(false)
	time.Sleep(failed.RetryAfter)
	wantOK(t, nthTransaction(c, failingCalls))
	if got := calls.Load(); got != failingCalls+1 {
		t.Errorf("%d calls, want one more, which succeeds", got)
	}
	for i := range 2 {
		_ = nthTransaction(c, i)
	}
	if got := c.Stats()[0].Breaker; got != "closed" {
		t.Error(got)
	}
}

// TestErrorsThatKeepTheBreakerClosed: 4xx, invalid responses and cancelled calls are not failures of the service.
func TestErrorsThatKeepTheBreakerClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handlers := map[string]http.HandlerFunc{
			"401": status(401), "404": status(404), "422": status(422), "429": status(429), "418": status(418), "not a page": respondWith("{}"),
			"not JSON": respondWith("canary"), "over the limit": respondWith(strings.Repeat(" ", 2000)),
		}
		sensitive := func(c *config) {
			c.Breaker, c.MaxBody = client.BreakerConfig{Percent: 1, Calls: 1, Window: time.Hour}, 1000
		}
		for name, handler := range handlers {
			c := newClient(t, serve(t, handler).URL, sensitive)
			for range 3 {
				if err := listDeposits(context.Background(), c); err == nil {
					t.Errorf("%s: no error", name)
				}
			}
			if got := c.Stats()[0]; got.Breaker != "closed" || got.Shed != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
		g := newGate(t)
		c := newClient(t, g.url, sensitive, func(c *config) { c.Timeout = time.Hour })
		for _, timeout := range []time.Duration{time.Hour, time.Millisecond} { // the first one is cancelled
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			ended := make(chan error)
			go func() { ended <- listDeposits(ctx, c) }()
			<-g.arrived
			if timeout == time.Hour {
				cancel()
			}
			if err := <-ended; err == nil {
				t.Error("no error")
			}
			cancel()
			if got := c.Stats()[0].Breaker; got != "closed" {
				t.Errorf("after %v: %s", ctx.Err(), got)
			}
		}
	})
}

// TestBreakerOpensForTimeouts: the breaker of a service that hangs opens, and rejects the calls in the queue.
func TestBreakerOpensForTimeouts(t *testing.T) { ofBoth(t, "calls", testBreakerOpensForTimeouts) }

func testBreakerOpensForTimeouts(t *testing.T, newClient newClientFunc) {
	g := newGate(t)
	c := newClient(t, g.url, withCallers, func(c *config) {
		c.Concurrency, c.Timeout = 4*failingCalls/3, shortTimeout // a quarter is for the background
		c.Breaker = client.BreakerConfig{Percent: 50, Calls: 2, Window: time.Hour, Wait: time.Hour}
	})
	kinds := make(chan upstream.Kind, failingCalls+4) // the last four wait in the queue
	for i := range cap(kinds) {
		go func() { kinds <- upstream.KindOf(nthTransaction(c, i)) }()
	}
	count := map[upstream.Kind]int{}
	for range cap(kinds) {
		count[<-kinds]++
	}
	if count[upstream.KindTimeout] < 2 || count[upstream.KindTimeout]+count[upstream.KindUnavailable] != cap(kinds) {
		t.Errorf("%v", count)
	}
	if s := c.Stats()[0]; s.Breaker != "open" || s.Waiting != 0 || s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

// TestShedding: a call is rejected immediately if the queue is full. By default the queue holds four calls for each
// call in flight.
func TestShedding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for queue, limit := range map[int]int{2: 2, 0: 4} {
			g := newGate(t)
			c := newClient(t, g.url, func(c *config) { c.Concurrency, c.Queue = 1, queue })
			ended := make(chan error, 1+limit)
			for range cap(ended) {
				go func() { ended <- listDeposits(context.Background(), c) }()
			}
			synctest.Wait()
			if s := c.Stats()[0]; s.InFlight != 1 || s.Waiting != limit {
				t.Errorf("%+v, want a full queue", s)
			}
			err := listDeposits(context.Background(), c)
			if upstream.KindOf(err) != upstream.KindUnavailable || !strings.Contains(fmt.Sprint(err), "the queue is full") {
				t.Errorf("error = %v", err)
			}
			if got := c.Stats()[0].Shed; got != 1 {
				t.Errorf("%d shed", got)
			}
			g.releaseAll(cap(ended), 1)
			for range cap(ended) {
				wantOK(t, <-ended)
			}
		}
	})
}

// TestRefusalsInOutage: what an API, or a proxy in front of it, answers at once in an outage too says nothing of the
// calls of others.
func TestRefusalsInOutage(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"401": status(401), "403": status(403), "422": status(422), "429": status(429), "400": status(400), "a redirect": status(302, "Location", "/"),
		"a page": respondWith(" <html>"),
	} {
		ofBoth(t, name, func(t *testing.T, newClient newClientFunc) {
			const refused = 99
			c := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, fmt.Sprint(refused)) {
					answer(w, r)
					return
				}
				status(500)(w, r)
			}).URL, withCallers, func(c *config) { c.Breaker = client.BreakerConfig{Percent: 50} })
			for n := range client.DefaultBreakerCalls {
				_, _ = nthTransaction(c, n), nthTransaction(c, refused)
			}
			if state := c.Stats()[0].Breaker; state != "open" {
				t.Error(state)
			}
		})
	}
}
