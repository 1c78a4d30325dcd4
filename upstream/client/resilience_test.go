package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// patience is how long a test waits for what must happen; nothing is decided by it.
const patience = 2 * time.Minute

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for late := time.After(patience); !holds(); {
		select {
		case <-pace.C:
		case <-late:
			t.Fatalf("in vain: %s", what)
		}
	}
}

// retrying has calls made again at most so many times, after the shortest pauses.
func retrying(most int) func(*config) {
	return func(c *config) { c.Retries, c.Random = most, func() float64 { return 1 } }
}

// inTurn answers requests by one handler after the other, and by the last from then on.
func inTurn(handlers ...http.HandlerFunc) (http.HandlerFunc, *atomic.Int32) {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(n.Add(1)), len(handlers))-1](w, r)
	}, &n
}

// status answers with a status and pairs of header names and values.
func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte("canary"))
	}
}

// cut ends the connection in the middle of the body.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(emptyPage))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// truncated answers with the beginning of a gzip stream, as a whole body.
func truncated(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1})
}

// broken ends the connection before the answer.
func broken(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestRetries(t *testing.T) {
	const good = upstream.Kind(-1)
	fine := answering(emptyPage)
	tests := []struct {
		name    string
		retries int
		answers []http.HandlerFunc
		want    upstream.Kind
		calls   int32
	}{
		{"a good answer", 3, []http.HandlerFunc{fine}, good, 1},
		{"502", 1, []http.HandlerFunc{status(502), fine}, good, 2},
		{"503", 1, []http.HandlerFunc{status(503), fine}, good, 2},
		{"504", 1, []http.HandlerFunc{status(504), fine}, good, 2},
		{"503 that asks for a second", 1, []http.HandlerFunc{status(503, "Retry-After", "1"), fine}, good, 2},
		{"503 that asks for more than there is", 1, []http.HandlerFunc{status(503, "Retry-After", "3600"), fine}, upstream.KindServerError, 1},
		{"429 that asks for a second", 1, []http.HandlerFunc{status(429, "Retry-After", "1"), fine}, good, 2},
		{"429 that asks for more than there is", 1, []http.HandlerFunc{status(429, "Retry-After", "3600"), fine}, upstream.KindRateLimited, 1},
		{"429 that does not say when", 1, []http.HandlerFunc{status(429), fine}, upstream.KindRateLimited, 1},
		{"500", 3, []http.HandlerFunc{status(500), fine}, upstream.KindServerError, 1},
		{"501", 3, []http.HandlerFunc{status(501), fine}, upstream.KindServerError, 1},
		{"401", 3, []http.HandlerFunc{status(401), fine}, upstream.KindUnauthenticated, 1},
		{"422", 3, []http.HandlerFunc{status(422), fine}, upstream.KindInvalidInput, 1},
		{"a redirect", 3, []http.HandlerFunc{status(302, "Location", "/"), fine}, upstream.KindInvalidResponse, 1},
		{"an answer that is no page", 3, []http.HandlerFunc{answering("{}"), fine}, upstream.KindInvalidResponse, 1},
		{"truncated gzip", 3, []http.HandlerFunc{truncated, fine}, upstream.KindInvalidResponse, 1},
		{"a connection that ends before the answer", 1, []http.HandlerFunc{broken, fine}, good, 2},
		{"one that ends in it", 1, []http.HandlerFunc{cut, fine}, good, 2},
		{"again and again", 2, []http.HandlerFunc{status(503), cut, status(502), fine}, upstream.KindServerError, 3},
		{"none", 0, []http.HandlerFunc{status(503), fine}, upstream.KindServerError, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // some pause for a second
			handler, calls := inTurn(tt.answers...)
			var seen []client.Exchange
			server := serve(t, handler)
			c := newClient(t, server.URL, retrying(tt.retries), observed(&seen), func(c *config) { c.Timeout = patience })
			err := list(context.Background(), c)
			if (err == nil) != (tt.want == good) || err != nil && upstream.KindOf(err) != tt.want {
				t.Errorf("error = %v", err)
			}
			if calls.Load() != tt.calls || c.Stats()[0].Retries != uint64(tt.calls-1) {
				t.Errorf("%d calls, %d retries told, want %d calls", calls.Load(), c.Stats()[0].Retries, tt.calls)
			}
			for i, e := range seen {
				if e.Attempt != i+1 || len(seen) != int(tt.calls) {
					t.Errorf("exchange %d of %d is attempt %d", i, len(seen), e.Attempt)
				}
			}
			wantClean(t, err, server.URL)
		})
	}
}

// A dead connection that http1 replaced by itself is the retry: the call is not made a third time.
func TestAReplacedConnectionIsARetry(t *testing.T) {
	pool := fillIdlePool(t, 1, retrying(1))
	pool.broken.Store(true)
	if err := list(context.Background(), pool.client); upstream.KindOf(err) != upstream.KindUnavailable {
		t.Errorf("error = %v", err)
	}
	if got := pool.requests.Load(); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
}

// A call that is made again goes over a new connection: over a kept one http1 might send it a third time.
func TestARetryGoesOverANewConnection(t *testing.T) {
	const kept = 3
	pool := fillIdlePool(t, kept, retrying(1))
	pool.broken.Store(true)
	for n := int32(1); n <= 5; n++ {
		_ = list(context.Background(), pool.client)
		if got := pool.requests.Load(); got != 2*n {
			t.Errorf("%d requests for %d calls, want two each", got, n)
		}
	}
}

// A service that is down gets a tenth more than what is asked of it, and a few.
func TestRetriesKeepToTheirBudget(t *testing.T) {
	handler, calls := inTurn(status(503))
	c := newClient(t, serve(t, handler).URL, retrying(3))
	const asked = 200
	for range asked {
		if err := list(context.Background(), c); upstream.KindOf(err) != upstream.KindServerError {
			t.Fatal(err)
		}
	}
	if got := calls.Load(); got < asked+asked/10 || got > asked+asked/10+10 {
		t.Errorf("%d calls for %d", got, asked)
	}
}

// A caller who goes away while a call pauses does not wait for the rest of the pause.
func TestAPauseEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	handler, calls := inTurn(status(503, "Retry-After", "3600"))
	c := newClient(t, serve(t, handler).URL, retrying(1), func(c *config) { c.Timeout = 24 * time.Hour })
	ended := make(chan error, 1)
	go func() { ended <- list(ctx, c) }()
	await(t, "the pause", func() bool { return c.Stats()[0].Retries == 1 })
	cancel()
	if err := <-ended; upstream.KindOf(err) != upstream.KindCanceled {
		t.Errorf("error = %v", err)
	}
	if calls.Load() != 1 || c.Stats()[0].InFlight != 0 {
		t.Errorf("%d calls, %+v", calls.Load(), c.Stats()[0])
	}
}

// A service that fails is left alone, the other is not; when it answers again, so do we.
func TestAServiceIsLeftAlone(t *testing.T) {
	t.Parallel()
	const wait = 2 * lateness // far more than the calls before it is over take
	var down atomic.Bool
	down.Store(true)
	var calls atomic.Int32
	core := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if down.Load() {
			status(500)(w, r)
			return
		}
		answering(emptyPage)(w, r)
	})
	dispatcher := serve(t, answering(`{"id":"ntf_01"}`))
	c := newClient(t, core.URL, retrying(1), func(c *config) {
		c.DispatcherURL = dispatcher.URL
		c.Breaker = client.BreakerConfig{Percent: 50, Calls: 5, Window: time.Hour, Wait: wait}
	})
	for range 5 {
		if err := list(context.Background(), c); upstream.KindOf(err) != upstream.KindServerError {
			t.Fatal(err)
		}
	}
	var failed *upstream.Error
	err := list(context.Background(), c)
	if !errors.As(err, &failed) || failed.Kind != upstream.KindUnavailable || failed.RetryAfter <= 0 || failed.RetryAfter > wait+wait/4 {
		t.Errorf("error = %#v", failed)
	}
	if calls.Load() != 5 {
		t.Errorf("%d calls, want 5", calls.Load())
	}
	if s := c.Stats(); s[0].Breaker != "open" || s[0].Shed != 1 || s[0].Retries != 0 || s[1].Breaker != "closed" {
		t.Errorf("%+v", s)
	}
	if _, err := c.Notification(context.Background(), "ntf_01"); err != nil {
		t.Errorf("the other service: %v", err)
	}
	down.Store(false)
	await(t, "a good answer", func() bool { return list(context.Background(), c) == nil })
	if got := calls.Load(); got != 6 {
		t.Errorf("%d calls, want one more, and that one good", got)
	}
	for range 2 {
		_ = list(context.Background(), c)
	}
	if got := c.Stats()[0].Breaker; got != "closed" {
		t.Error(got)
	}
}

// What a service refuses, or what makes no sense, does not have it left alone; nor do callers who go away.
func TestWhatIsNoFailureOfTheService(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"401": status(401), "404": status(404), "422": status(422), "429": status(429), "418": status(418), "no page": answering("{}"),
		"no JSON": answering("canary"), "over the cap": answering(strings.Repeat(" ", 2000)),
	}
	breaking := func(c *config) {
		c.Breaker, c.MaxBody = client.BreakerConfig{Percent: 1, Calls: 1, Window: time.Hour}, 1000
	}
	for name, answer := range answers {
		c := newClient(t, serve(t, answer).URL, breaking)
		for range 3 {
			if err := list(context.Background(), c); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if got := c.Stats()[0]; got.Breaker != "closed" || got.Shed != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	g := newGate(t)
	c := newClient(t, g.url, breaking, func(c *config) { c.Timeout = time.Hour })
	for _, end := range []func(context.Context) (context.Context, context.CancelFunc){
		context.WithCancel,
		func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		},
	} {
		ctx, cancel := end(context.Background())
		var calls sync.WaitGroup
		calls.Go(func() {
			if err := list(ctx, c); err == nil {
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

// A service that hangs is left alone too, and those who wait for it need not wait any longer.
func TestAServiceThatHangsIsLeftAlone(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	c := newClient(t, g.url, func(c *config) {
		c.Concurrency, c.Timeout = 2, lateness
		c.Breaker = client.BreakerConfig{Percent: 50, Calls: 2, Window: time.Hour, Wait: time.Hour}
	})
	kinds := make(chan upstream.Kind, 10)
	for range cap(kinds) {
		go func() { kinds <- upstream.KindOf(list(context.Background(), c)) }()
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

// One more than may wait is refused at once. By default four wait for each call that may be under way.
func TestShedding(t *testing.T) {
	for queue, most := range map[int]int{2: 2, 0: 4} {
		g := newGate(t)
		c := newClient(t, g.url, func(c *config) { c.Concurrency, c.Queue = 1, queue })
		ended := make(chan error, 1+most)
		for range cap(ended) {
			go func() { ended <- list(context.Background(), c) }()
		}
		await(t, "all that may wait", func() bool { s := c.Stats()[0]; return s.InFlight == 1 && s.Waiting == most })
		err := list(context.Background(), c)
		if upstream.KindOf(err) != upstream.KindUnavailable || !strings.Contains(fmt.Sprint(err), "too many calls wait") {
			t.Errorf("error = %v", err)
		}
		if got := c.Stats()[0].Shed; got != 1 {
			t.Errorf("%d shed", got)
		}
		g.open(cap(ended), 1)
		for range cap(ended) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}
