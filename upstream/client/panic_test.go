package client_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pixgraph/upstream/client"
)

// TestPanicReleases: a panic in an observer passes through a call, which releases its slots and the permit of the
// breaker.
func TestPanicReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var panics atomic.Bool
		c := newClient(t, serve(t, respondWith(emptyPage)).URL, func(c *config) {
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
			return listDeposits(context.Background(), c)
		}
		for range 3 {
			panics.Store(true)
			if value := panicking(); value != "canary" {
				t.Errorf("recovered %v", value)
			}
			panics.Store(false)
			if err := listDeposits(context.Background(), c); err != nil {
				t.Errorf("the next call: %v", err)
			}
		}
		if s := c.Stats()[0]; s.InFlight != 0 || s.Retries != 0 || s.Breaker != "closed" {
			t.Errorf("%+v", s)
		}
	})
}
