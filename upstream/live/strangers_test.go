package live_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// TestNewTokens: tokens that begin to watch a record do not delay the reads of a token that watches it, and what they
// see first makes it read.
func TestNewTokens(t *testing.T) {
	for _, status := range []string{"PENDING", "PAID"} {
		simulate(t, status, live.Config{}, func(t *testing.T, f *fixture) {
			f.api.set("a", status)
			c, _ := f.join("x", "a")
			pass(time.Second)
			for i := range 100 {
				if i == 50 {
					f.api.set("a", "REFUNDED")
				}
				_, s := f.join(fmt.Sprint("t", i), "a")
				pass(500 * time.Millisecond)
				s.Close()
			}
			c.mu.Lock()
			late := len(c.at) < 2 || c.at[1].Sub(c.at[0]) > 27*time.Second
			c.mu.Unlock()
			c.want(t, "SNAPSHOT "+status, "CHANGED REFUNDED")
			if late {
				t.Error("late")
			}
		})
	}
}

// TestLateFirstRead: a token whose first read succeeds late does not make those of a newer stream of another token
// rarer.
func TestLateFirstRead(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		f.join("x", "a")
		f.api.fail("late", errServer)
		late, _ := f.join("late", "a")
		pass(11 * time.Minute)
		f.join("y", "a")
		pass(time.Second)
		f.api.fail("late", nil)
		pass(31 * time.Second)
		late.want(t, "STALE", "SNAPSHOT PENDING")
		f.wantReadsIn(20*time.Second, 18, 60, "in the first 20 intervals of a stream")
	})
}

// TestSlowToken: a token whose reads are slow does not make those of another token of the same record rarer.
func TestSlowToken(t *testing.T) {
	simulate(t, "", live.Config{}, func(_ *testing.T, f *fixture) {
		f.api.slowFor["slow"] = 10 * time.Second
		f.join("x", "a")
		f.join("slow", "a")
		pass(20 * time.Second)
		f.api.readsByToken()
		pass(20 * time.Second)
		f.wantReadsOf("x", 16, 60, "of the other token in 20 intervals")
	})
}

// TestUnreadRecord: a token that has not read a record learns nothing of other tokens that watch it, and does not make
// them read more often.
func TestUnreadRecord(t *testing.T) {
	next := func(t *testing.T, status string) (next time.Duration, reads int) {
		simulate(t, "", live.Config{Random: func() float64 { return 0.5 }}, func(t *testing.T, f *fixture) {
			if status != "" {
				f.api.set("a", status)
				f.join("x", "a")
				pass(700 * time.Millisecond)
			}
			f.api.fail("y", rateLimited(0))
			c, _ := f.join("y", "a")
			pass(time.Second)
			c.mu.Lock()
			next = c.events[0].Next
			c.mu.Unlock()
			c.want(t, "STALE")
			f.api.readsByToken()
			for range 60 {
				_, s := f.join("y", "a")
				pass(time.Second)
				s.Close()
			}
			reads = f.api.readsByToken()["x"]
		})
		return next, reads
	}
	alone, _ := next(t, "")
	for status, limit := range map[string]int{"PENDING": 61, "PAID": 3} {
		if other, reads := next(t, status); other != alone || reads > limit {
			t.Errorf("%s: the next read is in %s, without others in %s; %d reads of others in a minute", status, other, alone, reads)
		}
	}
}

// TestSnapshotIsCurrent: the first event of a stream is not an old answer, although the record has not changed since:
// what the answer has of other records may have.
func TestSnapshotIsCurrent(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		var linked atomic.Int64
		join := func() *client {
			c, _ := f.joinWith(live.Request{
				Token: live.Token{Key: "x"}, Subject: transaction("a"),
				Execute: func(context.Context, *live.Reading) ([]byte, error) { return fmt.Append(nil, linked.Load()), nil },
			})
			return c
		}
		first := join()
		pass(20 * time.Second)
		linked.Store(1)
		began := time.Now()
		second := join()
		pass(100 * time.Millisecond)
		if e := second.events[0]; e.Observed.Before(began) {
			t.Errorf("observed %s before the stream began", began.Sub(e.Observed))
		}
		second.want(t, "SNAPSHOT 1")
		first.want(t, "SNAPSHOT 0", "CHANGED 1")
	})
}
