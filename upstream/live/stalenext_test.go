package live_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestStaleNext: a Stale event does not announce a read in the past, nor one before the end of a pause.
func TestStaleNext(t *testing.T) {
	t.Run("ring", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := start(t, live.Config{}, "a", "b")
			f.api.slow(10 * time.Second)
			c, _ := f.join("x", "a")
			pass(100 * time.Millisecond)
			f.api.slow(5 * time.Millisecond)
			f.api.fail("x", &upstream.Error{Kind: upstream.KindRateLimited, Status: 429, RetryAfter: time.Minute})
			f.join("x", "b")
			pass(3 * time.Second)
			for _, e := range c.events {
				if e.Next <= 0 {
					t.Errorf("%s: next read in %s", e.Reason, e.Next)
				}
			}
			c.want(t, "STALE")
		})
	})
	t.Run("paused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := start(t, live.Config{}, "a", "b")
			f.api.fail("x", &upstream.Error{Kind: upstream.KindRateLimited, Status: 429, RetryAfter: time.Minute})
			c, _ := f.join("x", "a")
			pass(3 * time.Second)
			for _, e := range c.events {
				if e.Next < 50*time.Second {
					t.Errorf("%s: next read in %s", e.Reason, e.Next)
				}
			}
			c.want(t, "STALE")
		})
	})
}
