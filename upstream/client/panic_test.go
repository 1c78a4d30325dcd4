package client_test

import (
	"context"
	"sync/atomic"
	"testing"

	"pixgraph/upstream/client"
)

// A panic on the way of a call is its goroutine's, which recovers from it, and keeps neither a turn nor the breaker's permit.
func TestAPanicKeepsNothing(t *testing.T) {
	var panics atomic.Bool
	c := newClient(t, serve(t, answering(emptyPage)).URL, func(c *config) {
		c.Concurrency, c.Retries, c.Coalesce = 1, 3, true
		c.Breaker.Percent, c.Breaker.Calls = 1, 1
		c.Caller = func(context.Context) string { return "caller" }
		c.Header = func(context.Context) client.Header {
			if panics.Load() {
				panic("canary")
			}
			return client.Header{}
		}
	})
	panicking := func() (value any) {
		defer func() { value = recover() }()
		return list(context.Background(), c)
	}
	for range 3 {
		panics.Store(true)
		if value := panicking(); value != "canary" {
			t.Errorf("the panic is %v", value)
		}
		panics.Store(false)
		if err := list(context.Background(), c); err != nil {
			t.Errorf("the next call: %v", err)
		}
	}
	if s := c.Stats()[0]; s.InFlight != 0 || s.Retries != 0 || s.Breaker != "closed" {
		t.Errorf("%+v", s)
	}
}
