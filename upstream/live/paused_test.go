package live_test

import (
	"crypto/sha256"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestPausedWatchLeaves: a watch that must wait for the API, is queued again by a new stream, and loses all streams
// before a worker takes it, is no reason to read.
func TestPausedWatchLeaves(t *testing.T) {
	simulate(t, "", live.Config{Workers: 1}, func(t *testing.T, f *fixture) {
		_, first := f.join("x", "a")
		pass(time.Second)
		f.api.fail("x", rateLimited(time.Hour))
		pass(3 * time.Second)
		f.api.slow(10 * time.Second) // the only worker is busy
		other, _ := f.join("y", "b")
		pass(time.Second)
		_, second := f.join("x", "a")
		first.Close()
		second.Close()
		pass(time.Minute)
		other.want(t, "SNAPSHOT PENDING")
	})
}

// TestPollsOfPausedTokens: a token without credit, or with a limit of the API, does not delay the reads of others.
func TestPollsOfPausedTokens(t *testing.T) {
	const noCredit = -1
	for name, limit := range map[string]time.Duration{"without credit": noCredit, "429": 5 * time.Second, "429 without a time": 0} {
		var poor atomic.Bool
		simulate(t, name, live.Config{Pay: func(c live.Token, calls int) (int, time.Duration) {
			if poor.Load() && c.Key != "x" {
				return 0, 5 * time.Second
			}
			return calls, 0
		}}, func(t *testing.T, f *fixture) {
			c, _ := f.join("x", "a")
			f.joinTokens(100, "a")
			pass(10 * time.Second)
			c.want(t, "SNAPSHOT PENDING")
			if poor.Store(limit == noCredit); limit != noCredit {
				for i := range 100 {
					f.api.fail(fmt.Sprint("t", i), rateLimited(limit))
				}
			}
			pass(30 * time.Second)
			f.api.readsByToken()
			pass(30 * time.Second)
			f.wantReadsOf("x", 20, 40, "of the only token that may read, in 30 intervals")
			f.api.set("a", "PAID")
			pass(1200 * time.Millisecond)
			c.want(t, "CHANGED PAID")
		})
	}
}

// TestPausedTokenOfSettledRecord: a token whose reads keep failing is retried at the time that the error names, or else
// at most every half minute, and the others of the record are read, and paid for, as rarely as without it.
func TestPausedTokenOfSettledRecord(t *testing.T) {
	for name, tt := range map[string]struct {
		err       *upstream.Error
		low, high int64 // attempts in 5 minutes
		recovered time.Duration
	}{
		"429 with a time": {rateLimited(2 * time.Second), 35, 75, 8 * time.Second},
		"without credit":  {nil, 35, 75, 8 * time.Second},
		"429":             {rateLimited(0), 9, 17, 33 * time.Second},
		"an error":        {errUnavailable, 9, 17, 31 * time.Second},
	} {
		err := tt.err
		var poor, tried atomic.Int64
		simulate(t, name, live.Config{Pay: func(c live.Token, calls int) (int, time.Duration) {
			if c.Key != "y" {
				return calls, 0
			}
			tried.Add(1)
			if wait := time.Duration(poor.Load()); wait > 0 {
				return 0, wait
			}
			return calls, 0
		}}, func(t *testing.T, f *fixture) {
			f.api.set("a", "PAID")
			f.join("x", "a")
			other, _ := f.join("y", "a")
			pass(time.Second)
			if n := tried.Load(); n != 0 {
				t.Errorf("%d payments for the first read, which was paid when the stream began", n)
			}
			pass(time.Minute)
			if err == nil {
				poor.Store(int64(time.Second))
			} else {
				f.api.fail("y", err)
			}
			pass(time.Minute) // it is polled, and fails
			f.api.readsByToken()
			tried.Store(0)
			pass(5 * time.Minute)
			f.wantReadsOf("x", 4, 9, "of the token that may read, in 5 minutes")
			if n := tried.Load(); n < tt.low || n > tt.high {
				t.Errorf("%d attempts of the other one", n)
			}
			other.want(t, "SNAPSHOT PAID", "STALE")
			if s := f.Stats(); (s.Postponed > 0) != (err == nil) || (s.Failed > 0) != (err != nil) {
				t.Errorf("%d reads postponed, %d failed", s.Postponed, s.Failed)
			}
			poor.Store(0)
			f.api.fail("y", nil)
			pass(tt.recovered)
			other.want(t, "RECOVERED PAID")
		})
	}
}

// TestTokenPausedByOtherRecord: a watch whose token was paused because of another record is tried again soon after the
// pause, although the others of its record are read rarely.
func TestTokenPausedByOtherRecord(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.set("settled", "PAID")
		f.join("x", "settled")
		paused, _ := f.join("y", "settled")
		f.join("y", "waiting")
		pass(time.Minute)
		f.api.fail("y", rateLimited(2*time.Second))
		pass(3 * time.Minute)
		paused.want(t, "SNAPSHOT PAID", "STALE")
		f.api.fail("y", nil)
		pass(8 * time.Second)
		paused.want(t, "RECOVERED PAID")
	})
}

// TestRateLimitOfManyRecords: a 429 pauses all reads of its token for the time that the API names, or for a few
// intervals, and the reads of no other token. Afterwards they are spread, and all streams are current soon.
func TestRateLimitOfManyRecords(t *testing.T) {
	const records, limited = 900, 120 * time.Second
	for named, pause := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, 24 * time.Hour: 30 * time.Second, 0: 5 * time.Second} {
		pauses := int(limited / pause)
		simulate(t, named.String(), live.Config{}, func(t *testing.T, f *fixture) {
			clients := f.joinRecords("x", records)
			other, _ := f.join("y", "r0")
			pass(time.Minute)
			f.api.fail("x", rateLimited(named))
			f.api.readsByToken()
			pass(limited)
			reads := f.api.readsByToken()
			if n := reads["x"]; n < pauses-1 || n > pauses*live.DefaultWorkers {
				t.Errorf("%d reads with a limited token in %d pauses", n, pauses)
			}
			if reads["y"] < 60 {
				t.Errorf("%d reads with another token", reads["y"])
			}
			for _, id := range names(records) {
				f.api.set(id, "PAID")
			}
			f.api.fail("x", nil)
			peak := 0
			for range 90 {
				pass(500 * time.Millisecond)
				peak = max(peak, f.api.readsByToken()["x"])
			}
			if peak > records/2 {
				t.Errorf("%d reads in half a second after a pause", peak)
			}
			wantAll(t, clients, "SNAPSHOT PENDING", "STALE", "RECOVERED PAID")
			other.want(t, "SNAPSHOT PENDING", "CHANGED PAID")
		})
	}
}

// TestAcceptedTokenIsReadAgain: when an API answers a query with a token that it has limited, for however long, the
// streams of the token are current soon, and those of another token stay as they are.
func TestAcceptedTokenIsReadAgain(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		x, y := sha256.Sum256([]byte("x")), sha256.Sum256([]byte("y"))
		key := string(x[:])
		limited, _ := f.join(key, "a")
		f.join(key, "b")
		pass(5 * time.Second)
		f.api.fail(key, rateLimited(24*time.Hour))
		pass(40 * time.Second)
		limited.want(t, "SNAPSHOT PENDING", "STALE")
		f.api.fail(key, nil)
		f.Accepted(upstream.Core, y)
		f.Accepted(upstream.Dispatcher, x)
		pass(5 * time.Second)
		limited.want(t)
		f.Accepted(upstream.Core, x)
		pass(5 * time.Second)
		limited.want(t, "RECOVERED PENDING")
	})
}

// TestQueriesOfLimitedToken: an API that limits the reads of a token and answers its queries gets few more reads.
func TestQueriesOfLimitedToken(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		x := sha256.Sum256([]byte("x"))
		key := string(x[:])
		for i := range 100 {
			f.join(key, fmt.Sprint("r", i))
		}
		pass(10 * time.Second)
		f.api.fail(key, rateLimited(time.Minute))
		pass(10 * time.Second)
		f.api.readsByToken()
		for range 300 {
			pass(100 * time.Millisecond)
			f.Accepted(upstream.Core, x)
		}
		if n := f.api.readsByToken()[key]; n < 3 || n > 15 {
			t.Errorf("%d reads in half a minute", n)
		}
	})
}

// TestOutageOfManyTokens: all streams of a record are notified of an outage and of its end, however many tokens share
// the reads.
func TestOutageOfManyTokens(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		clients := f.joinTokens(100, "a")
		pass(5 * time.Second)
		f.api.fail("", errServer)
		f.wantReadsIn(40*time.Second, 0, 200, "of one record in 40 s of an outage")
		f.api.fail("", nil)
		pass(10 * time.Second)
		f.wantReads(0, 150, "of one record in 10 s after an outage")
		wantAll(t, clients, "SNAPSHOT PENDING", "STALE", "RECOVERED PENDING")
	})
}

// TestStaleNext: an event does not announce a read in the past, nor a Stale event one before the end of a pause.
func TestStaleNext(t *testing.T) {
	simulate(t, "due", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.slow(10 * time.Second)
		c, _ := f.join("x", "a")
		pass(100 * time.Millisecond)
		f.api.slow(5 * time.Millisecond)
		f.api.fail("x", rateLimited(time.Minute))
		f.join("x", "b")
		pass(3 * time.Second)
		for _, e := range c.events {
			if e.Next <= 0 {
				t.Errorf("%s: next read in %s", e.Reason, e.Next)
			}
		}
		c.want(t, "STALE")
	})
	simulate(t, "paused", live.Config{}, func(t *testing.T, f *fixture) {
		f.api.fail("x", rateLimited(time.Minute))
		c, _ := f.join("x", "a")
		pass(3 * time.Second)
		for _, e := range c.events {
			if e.Next < 25*time.Second {
				t.Errorf("%s: next read in %s", e.Reason, e.Next)
			}
		}
		c.want(t, "STALE")
	})
	for _, fails := range []bool{false, true} {
		// The first read of y ends when the next one of the record is due, and before the tick at which it begins.
		config := live.Config{Interval: 1005 * time.Millisecond, Random: func() float64 { return 0.5 }}
		simulate(t, fmt.Sprint("due, ", fails), config, func(t *testing.T, f *fixture) {
			f.api.slow(7 * time.Millisecond)
			if fails {
				f.runs.fail(nil, errNoMemory)
			}
			f.join("x", "a")
			pass(1008 * time.Millisecond)
			c, _ := f.join("y", "a")
			pass(7 * time.Millisecond)
			if e := c.events[0]; e.Next <= 0 {
				t.Errorf("%s: next read in %s", e.Reason, e.Next)
			}
		})
	}
}
