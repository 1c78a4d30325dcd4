package live_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/live"
)

// TestRecovery: after two minutes in which the circuit breaker was open, all streams are current within 10 seconds. The
// reads are spread over that time, within the budget.
func TestRecovery(t *testing.T) {
	const records, polls = 600, 150
	for _, status := range []string{"PENDING", "PAID"} {
		simulate(t, status, live.Config{Polls: polls, StreamsPerCaller: records}, func(t *testing.T, f *fixture) {
			for _, id := range names(records) {
				f.api.set(id, status)
			}
			clients := f.joinRecords("x", records)
			pass(3 * time.Minute)
			f.api.fail("", &upstream.Error{Kind: upstream.KindUnavailable, RetryAfter: 5 * time.Second})
			pass(2 * time.Minute)
			wantAll(t, clients, "SNAPSHOT "+status, "STALE")
			for _, id := range names(records) {
				f.api.set(id, "REFUNDED")
			}
			f.api.fail("", nil)
			f.api.count()
			peak := 0
			for range 20 {
				pass(500 * time.Millisecond)
				peak = max(peak, f.api.count())
			}
			if peak > polls*3/4 {
				t.Errorf("%d reads in half a second, with a budget of %d per second", peak, polls)
			}
			wantAll(t, clients, "RECOVERED REFUNDED")
		})
	}
}

// TestReadsAfterRecovery: the first read after an outage is the only one until the record is due again.
func TestReadsAfterRecovery(t *testing.T) {
	simulate(t, "", live.Config{Random: func() float64 { return 0.5 }}, func(t *testing.T, f *fixture) {
		f.api.set("a", "PAID")
		c, _ := f.join("x", "a")
		pass(time.Second)
		f.api.fail("", errServer)
		pass(2 * time.Minute)
		f.api.fail("", nil)
		f.api.count()
		pass(30 * time.Second)
		c.want(t, "SNAPSHOT PAID", "STALE", "RECOVERED PAID")
		f.wantReads(1, 1, "in 30 seconds after the outage")
	})
}

// TestUnsentOutage: a client that reads nothing during an outage is notified only of what changed.
func TestUnsentOutage(t *testing.T) {
	for name, test := range map[string]struct {
		before, after string // the status
		want          []string
	}{
		"no change":                 {"PENDING", "PENDING", []string{"SNAPSHOT PENDING"}},
		"a change in the outage":    {"PENDING", "PAID", []string{"SNAPSHOT PENDING", "CHANGED PAID"}},
		"a change before it":        {"PAID", "PAID", []string{"SNAPSHOT PENDING", "CHANGED PAID"}},
		"a change before and in it": {"PAID", "REFUNDED", []string{"SNAPSHOT PENDING", "CHANGED REFUNDED"}},
	} {
		simulate(t, name, live.Config{}, func(t *testing.T, f *fixture) {
			stuck := &client{stuck: make(chan struct{})}
			f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Sink: stuck})
			pass(time.Second)
			f.api.set("a", test.before)
			pass(2 * time.Second)
			f.api.fail("", errServer)
			pass(2 * time.Minute)
			f.api.set("a", test.after)
			f.api.fail("", nil)
			pass(35 * time.Second)
			close(stuck.stuck)
			synctest.Wait()
			stuck.want(t, test.want...)
		})
	}
}
