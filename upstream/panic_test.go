package upstream_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
)

// A panic in the goroutine of a hedged exchange would end the process: it is an error of that exchange, and holds nothing of
// the value.
func TestAPanicInAHedgedExchangeIsItsError(t *testing.T) {
	server := serve(t, answering(emptyPage))
	var panics atomic.Bool
	client := newClient(t, server.URL, func(c *config) {
		c.HedgeAfter, c.Retries = time.Hour, 3
		c.Header = func(context.Context) upstream.Header {
			if panics.Load() {
				panic("canary")
			}
			return upstream.Header{}
		}
	})
	panics.Store(true)
	err := list(context.Background(), client)
	if err == nil || upstream.KindOf(err) != upstream.KindInternal {
		t.Errorf("error = %v", err)
	}
	wantClean(t, err, server.URL)
	panics.Store(false)
	if err := list(context.Background(), client); err != nil || client.Stats()[0].InFlight != 0 || client.Stats()[0].Retries != 0 {
		t.Errorf("the next call: %v, %+v", err, client.Stats()[0])
	}
}

// When one of two exchanges panics, the other's answer is the answer.
func TestAPanicInOneOfTwoExchanges(t *testing.T) {
	panicked := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		<-panicked
		answering(emptyPage)(w, r)
	})
	var calls atomic.Int32
	client := newClient(t, server.URL, func(c *config) {
		c.HedgeAfter, c.Timeout = time.Millisecond, patience
		c.Header = func(context.Context) upstream.Header {
			if calls.Add(1) == 2 {
				defer close(panicked)
				panic("canary")
			}
			return upstream.Header{}
		}
	})
	if err := list(context.Background(), client); err != nil || calls.Load() != 2 || client.Stats()[0].InFlight != 0 {
		t.Errorf("error = %v after %d exchanges, %+v", err, calls.Load(), client.Stats()[0])
	}
}
