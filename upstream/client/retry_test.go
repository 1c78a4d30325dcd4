package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// waitLimit bounds the waits of a test for events that must happen. No result depends on it.
const waitLimit = 2 * time.Minute

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for expired := time.After(waitLimit); !holds(); {
		select {
		case <-pace.C:
		case <-expired:
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// withRetries sets the maximum number of retries, and the shortest backoff.
func withRetries(n int) func(*config) {
	return func(c *config) { c.Retries, c.Random = n, func() float64 { return 1 } }
}

// sequence returns a handler that passes each request to the next of the handlers, and further ones to the last. It
// also returns the number of requests.
func sequence(handlers ...http.HandlerFunc) (http.HandlerFunc, *atomic.Int32) {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(n.Add(1)), len(handlers))-1](w, r)
	}, &n
}

// status returns a handler that sends a status and headers, given as pairs of names and values.
func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte("canary"))
	}
}

// closeInBody closes the connection in the middle of the body.
func closeInBody(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(emptyPage))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// truncatedGzip sends a complete body with the beginning of a gzip stream.
func truncatedGzip(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1})
}

// closeBeforeResponse closes the connection without a response.
func closeBeforeResponse(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestRetries(t *testing.T) { ofBoth(t, testRetries) }

func testRetries(t *testing.T, newClient newClientFunc) {
	const good = upstream.Kind(-1)
	success := respondWith(emptyPage)
	tests := []struct {
		name     string
		retries  int
		handlers []http.HandlerFunc
		want     upstream.Kind
		calls    int32
	}{
		{"a good response", 3, []http.HandlerFunc{success}, good, 1},
		{"502", 1, []http.HandlerFunc{status(502), success}, good, 2},
		{"503", 1, []http.HandlerFunc{status(503), success}, good, 2},
		{"504", 1, []http.HandlerFunc{status(504), success}, good, 2},
		{"503 with Retry-After of a second", 1, []http.HandlerFunc{status(503, "Retry-After", "1"), success}, good, 2},
		{"503 with Retry-After beyond the deadline", 1, []http.HandlerFunc{status(503, "Retry-After", "3600"), success}, upstream.KindServerError, 1},
		{"429 with Retry-After of a second", 1, []http.HandlerFunc{status(429, "Retry-After", "1"), success}, good, 2},
		{"429 with Retry-After beyond the deadline", 1, []http.HandlerFunc{status(429, "Retry-After", "3600"), success}, upstream.KindRateLimited, 1},
		{"429 without Retry-After", 1, []http.HandlerFunc{status(429), success}, upstream.KindRateLimited, 1},
		{"500", 3, []http.HandlerFunc{status(500), success}, upstream.KindServerError, 1},
		{"501", 3, []http.HandlerFunc{status(501), success}, upstream.KindServerError, 1},
		{"401", 3, []http.HandlerFunc{status(401), success}, upstream.KindUnauthenticated, 1},
		{"422", 3, []http.HandlerFunc{status(422), success}, upstream.KindInvalidInput, 1},
		{"a redirect", 3, []http.HandlerFunc{status(302, "Location", "/"), success}, upstream.KindInvalidResponse, 1},
		{"a response that is not a page", 3, []http.HandlerFunc{respondWith("{}"), success}, upstream.KindInvalidResponse, 1},
		{"truncated gzip", 3, []http.HandlerFunc{truncatedGzip, success}, upstream.KindInvalidResponse, 1},
		{"connection closed before the response", 1, []http.HandlerFunc{closeBeforeResponse, success}, good, 2},
		{"connection closed in the body", 1, []http.HandlerFunc{closeInBody, success}, good, 2},
		{"several retries", 2, []http.HandlerFunc{status(503), closeInBody, status(502), success}, upstream.KindServerError, 3},
		{"no retries", 0, []http.HandlerFunc{status(503), success}, upstream.KindServerError, 1},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			handler, calls := sequence(tt.handlers...)
			var seen []client.Exchange
			server := serve(t, handler)
			c := newClient(t, server.URL, withRetries(tt.retries), recordExchanges(&seen), func(c *config) { c.Timeout = waitLimit })
			err := listDeposits(context.Background(), c)
			if (err == nil) != (tt.want == good) || err != nil && upstream.KindOf(err) != tt.want {
				t.Errorf("error = %v", err)
			}
			if calls.Load() != tt.calls || c.Stats()[0].Retries != uint64(tt.calls-1) {
				t.Errorf("%d requests and %d retries in the stats, want %d requests", calls.Load(), c.Stats()[0].Retries, tt.calls)
			}
			for i, e := range seen {
				if e.Attempt != i+1 || len(seen) != int(tt.calls) {
					t.Errorf("exchange %d of %d is attempt %d", i, len(seen), e.Attempt)
				}
			}
			wantNoSecrets(t, err, server.URL)
		})
	}
}

// TestReplacedConnectionCountsAsRetry: http1 sends a request again over a new connection if an idle one was dead. That
// is the retry: the request is not sent a third time, however many idle connections there are.
func TestReplacedConnectionCountsAsRetry(t *testing.T) {
	for _, idle := range []int{1, 3} {
		pool := fillIdlePool(t, idle, withRetries(1))
		pool.broken.Store(true)
		for n := int32(1); n <= 5; n++ {
			if err := listDeposits(context.Background(), pool.client); upstream.KindOf(err) != upstream.KindUnavailable {
				t.Errorf("error = %v", err)
			}
			if got := pool.requests.Load(); got != 2*n {
				t.Errorf("%d requests for %d calls, want two each", got, n)
			}
		}
	}
}

// TestRetryBudget: a service that is down gets at most a tenth more requests than calls, and the reserve.
func TestRetryBudget(t *testing.T) { ofBoth(t, inBubble(testRetryBudget)) }

func testRetryBudget(t *testing.T, newClient newClientFunc) {
	handler, calls := sequence(status(503))
	c := newClient(t, serve(t, handler).URL, withRetries(3))
	const made = 200
	for range made {
		if err := listDeposits(context.Background(), c); upstream.KindOf(err) != upstream.KindServerError {
			t.Fatal(err)
		}
	}
	if got := calls.Load(); got < made+made/10 || got > made+made/10+10 {
		t.Errorf("%d requests for %d calls", got, made)
	}
}

// TestCancelEndsBackoff: a call that is cancelled during its backoff ends immediately.
func TestCancelEndsBackoff(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	handler, calls := sequence(status(503, "Retry-After", "3600"))
	c := newClient(t, serve(t, handler).URL, withRetries(1), func(c *config) { c.Timeout = 24 * time.Hour })
	ended := make(chan error, 1)
	go func() { ended <- listDeposits(ctx, c) }()
	waitFor(t, "the backoff", func() bool { return c.Stats()[0].Retries == 1 })
	cancel()
	if err := <-ended; upstream.KindOf(err) != upstream.KindCanceled {
		t.Errorf("error = %v", err)
	}
	if calls.Load() != 1 || c.Stats()[0].InFlight != 0 {
		t.Errorf("%d calls, %+v", calls.Load(), c.Stats()[0])
	}
}

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
func TestBreakerOpensPerService(t *testing.T) { ofBoth(t, inBubble(testBreakerOpensPerService)) }

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
	waitFor(t, "a good response", func() bool { return nthTransaction(c, failingCalls) == nil })
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
	for _, end := range []func(context.Context) (context.Context, context.CancelFunc){
		context.WithCancel,
		func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		},
	} {
		ctx, cancel := end(context.Background())
		var calls sync.WaitGroup
		calls.Go(func() {
			if err := listDeposits(ctx, c); err == nil {
				t.Error("no error")
			}
		})
		if _, limited := ctx.Deadline(); !limited {
			<-g.arrived
			cancel()
		}
		calls.Wait()
		cancel()
		if got := c.Stats()[0].Breaker; got != "closed" {
			t.Errorf("after %v: %s", ctx.Err(), got)
		}
	}
}

// TestBreakerOpensForTimeouts: the breaker of a service that hangs opens, and rejects the calls in the queue.
func TestBreakerOpensForTimeouts(t *testing.T) { ofBoth(t, inBubble(testBreakerOpensForTimeouts)) }

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
	for queue, limit := range map[int]int{2: 2, 0: 4} {
		g := newGate(t)
		c := newClient(t, g.url, func(c *config) { c.Concurrency, c.Queue = 1, queue })
		ended := make(chan error, 1+limit)
		for range cap(ended) {
			go func() { ended <- listDeposits(context.Background(), c) }()
		}
		waitFor(t, "a full queue", func() bool { s := c.Stats()[0]; return s.InFlight == 1 && s.Waiting == limit })
		err := listDeposits(context.Background(), c)
		if upstream.KindOf(err) != upstream.KindUnavailable || !strings.Contains(fmt.Sprint(err), "the queue is full") {
			t.Errorf("error = %v", err)
		}
		if got := c.Stats()[0].Shed; got != 1 {
			t.Errorf("%d shed", got)
		}
		g.releaseAll(cap(ended), 1)
		for range cap(ended) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}
