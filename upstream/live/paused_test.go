package live_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestPausedWatchLeaves: a watch that must wait for the API, is queued again by a new stream, and loses all streams before a
// worker takes it, is no reason to read.
func TestPausedWatchLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, live.Config{Workers: 1}, "a", "b")
		_, first := f.join("x", "a")
		pass(time.Second)
		f.api.fail("x", &upstream.Error{Kind: upstream.KindRateLimited, Status: 429, RetryAfter: time.Hour})
		pass(3 * time.Second)
		f.api.latency = 10 * time.Second // the only worker is busy
		other, _ := f.join("y", "b")
		pass(time.Second)
		_, second := f.join("x", "a")
		first.Close()
		second.Close()
		pass(time.Minute)
		other.want(t, "SNAPSHOT PENDING")
	})
}
