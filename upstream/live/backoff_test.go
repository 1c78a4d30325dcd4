package live_test

import (
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestBackoff: reads that fail are retried after one interval, two, four and so on, up to half a minute. A read that
// succeeds ends that, and a nudge does not: it causes one read.
func TestBackoff(t *testing.T) {
	simulate(t, "", live.Config{Lifetime: time.Hour}, func(t *testing.T, f *fixture) {
		c, _ := f.join("x", "a")
		pass(10 * time.Second)
		fail := func() {
			t.Helper()
			f.api.fail("", errServer)
			f.wantReadsIn(20*time.Second, 2, 6, "in the first 20 s of an outage")
			pass(time.Minute)
			f.wantReadsIn(10*time.Minute, 18, 28, "in 10 minutes of an outage")
		}
		fail()
		f.wantReadsIn(30*time.Second, 1, 2, "in half a minute of an outage")
		for range 10 {
			f.Nudge("a")
			f.wantReadsIn(10*time.Millisecond+250*time.Millisecond, 1, 1, "after a nudge")
		}
		f.wantReadsIn(5*time.Minute, 9, 14, "in 5 minutes after the nudges")
		f.api.fail("", nil)
		pass(31 * time.Second)
		c.want(t, "SNAPSHOT PENDING", "STALE", "RECOVERED PENDING")
		f.wantReadsIn(10*time.Second, 1, 4, "in 10 s after the outage, of a quiet record")
		fail()
	})
}

// TestBackoffOfOneToken: a token whose reads fail makes those of another token of the record neither rarer nor more
// frequent.
func TestBackoffOfOneToken(t *testing.T) {
	reads := func(t *testing.T, others ...string) (n int) {
		simulate(t, "", live.Config{Random: func() float64 { return 0.5 }}, func(_ *testing.T, f *fixture) {
			f.join("x", "a")
			for _, token := range others {
				f.api.fail(token, errServer)
				f.join(token, "a")
			}
			pass(5 * time.Minute)
			n = f.api.readsByToken()["x"]
		})
		return n
	}
	alone := reads(t)
	if n := reads(t, "y", "z"); n < alone-5 || n > alone+5 {
		t.Errorf("%d reads of a token in 5 minutes, %d without tokens that fail", n, alone)
	}
}

// TestLongRetryAfter: whatever time a response names, the next read is within half a minute.
func TestLongRetryAfter(t *testing.T) {
	for name, err := range map[string]*upstream.Error{
		"503": {Kind: upstream.KindServerError, Status: 503, RetryAfter: time.Hour}, "429": rateLimited(24 * time.Hour),
	} {
		simulate(t, name, live.Config{}, func(_ *testing.T, f *fixture) {
			f.join("x", "a")
			pass(5 * time.Second)
			f.api.fail("", err)
			pass(2 * time.Second)
			f.wantReadsIn(10*time.Minute, 16, 21, "in 10 minutes")
		})
	}
}
