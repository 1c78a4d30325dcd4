package client_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

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

func TestRetries(t *testing.T) {
	const good = upstream.Kind(-1)
	success := respondWith(emptyPage)
	const minBackoff = 25 * time.Millisecond // with the pauses of withRetries
	tests := []struct {
		name     string
		retries  int
		handlers []http.HandlerFunc
		want     upstream.Kind
		calls    int32
		took     time.Duration
	}{
		{"a good response", 3, []http.HandlerFunc{success}, good, 1, 0},
		{"502", 1, []http.HandlerFunc{status(502), success}, good, 2, minBackoff},
		{"503", 1, []http.HandlerFunc{status(503), success}, good, 2, minBackoff},
		{"504", 1, []http.HandlerFunc{status(504), success}, good, 2, minBackoff},
		{"503 with Retry-After of a second", 1, []http.HandlerFunc{status(503, "Retry-After", "1"), success}, good, 2, time.Second},
		{"503 with Retry-After beyond the deadline", 1, []http.HandlerFunc{status(503, "Retry-After", "3600"), success}, upstream.KindServerError, 1, 0},
		{"429 with Retry-After of a second", 1, []http.HandlerFunc{status(429, "Retry-After", "1"), success}, good, 2, time.Second},
		{"429 with Retry-After beyond the deadline", 1, []http.HandlerFunc{status(429, "Retry-After", "3600"), success}, upstream.KindRateLimited, 1, 0},
		{"429 without Retry-After", 1, []http.HandlerFunc{status(429), success}, upstream.KindRateLimited, 1, 0},
		{"500", 3, []http.HandlerFunc{status(500), success}, upstream.KindServerError, 1, 0},
		{"501", 3, []http.HandlerFunc{status(501), success}, upstream.KindServerError, 1, 0},
		{"401", 3, []http.HandlerFunc{status(401), success}, upstream.KindUnauthenticated, 1, 0},
		{"422", 3, []http.HandlerFunc{status(422), success}, upstream.KindInvalidInput, 1, 0},
		{"a redirect", 3, []http.HandlerFunc{status(302, "Location", "/"), success}, upstream.KindInvalidResponse, 1, 0},
		{"a response that is not a page", 3, []http.HandlerFunc{respondWith("{}"), success}, upstream.KindInvalidResponse, 1, 0},
		{"truncated gzip", 3, []http.HandlerFunc{truncatedGzip, success}, upstream.KindInvalidResponse, 1, 0},
		{"connection closed before the response", 1, []http.HandlerFunc{closeBeforeResponse, success}, good, 2, minBackoff},
		{"connection closed in the body", 1, []http.HandlerFunc{closeInBody, success}, good, 2, minBackoff},
		{"several retries", 2, []http.HandlerFunc{status(503), closeInBody, status(502), success}, upstream.KindServerError, 3, minBackoff + 2*minBackoff},
		{"no retries", 0, []http.HandlerFunc{status(503), success}, upstream.KindServerError, 1, 0},
	}
	for _, tt := range tests {
		ofBoth(t, tt.name, func(t *testing.T, newClient newClientFunc) {
			handler, calls := sequence(tt.handlers...)
			var seen []client.Exchange
			server := serve(t, handler)
			c := newClient(t, server.URL, withRetries(tt.retries), recordExchanges(&seen), func(c *config) { c.Timeout = time.Minute })
			began := time.Now()
			err := listDeposits(context.Background(), c)
			if (err == nil) != (tt.want == good) || err != nil && upstream.KindOf(err) != tt.want || time.Since(began) != tt.took {
				t.Errorf("error = %v after %s, want %s", err, time.Since(began), tt.took)
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
	synctest.Test(t, func(t *testing.T) {
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
	})
}

// TestRetryBudget: a service that is down gets at most a tenth more requests than calls, and the reserve.
func TestRetryBudget(t *testing.T) { ofBoth(t, "calls", testRetryBudget) }

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

// TestRetriesBesideLimited: a caller that is over its rate takes no retries of others.
func TestRetriesBesideLimited(t *testing.T) { ofBoth(t, "calls", testRetriesBesideLimited) }

func testRetriesBesideLimited(t *testing.T, newClient newClientFunc) {
	const limited, other = 1, 2
	passes, _ := sequence(status(503), respondWith(`{"id":"00000000-0000-4000-8000-000000000002"}`))
	c := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, fmt.Sprint(limited)) {
			status(429, "Retry-After", "1")(w, r)
			return
		}
		passes(w, r)
	}).URL, withRetries(1), withCallers)
	for range 15 { // not a multiple of ten, which would leave a retry
		_ = nthTransaction(c, limited)
	}
	wantOK(t, nthTransaction(c, other))
}

// TestCancelEndsBackoff: a call that is cancelled during its backoff ends immediately.
func TestCancelEndsBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		handler, calls := sequence(status(503, "Retry-After", "3600"))
		c := newClient(t, serve(t, handler).URL, withRetries(1), func(c *config) { c.Timeout = 24 * time.Hour })
		ended := make(chan error, 1)
		go func() { ended <- listDeposits(ctx, c) }()
		synctest.Wait()
		if got := c.Stats()[0].Retries; got != 1 {
			t.Errorf("%d retries", got)
		}
		began := time.Now()
		cancel()
		if err := <-ended; upstream.KindOf(err) != upstream.KindCanceled || time.Since(began) != 0 {
			t.Errorf("error = %v after %s", err, time.Since(began))
		}
		if calls.Load() != 1 || c.Stats()[0].InFlight != 0 {
			t.Errorf("%d calls, %+v", calls.Load(), c.Stats()[0])
		}
	})
}
