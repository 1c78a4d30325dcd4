package live_test

import (
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// TestManyStuckClients: clients that do not read delay the events of others by a fraction of a second.
func TestManyStuckClients(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		stuck := make(chan struct{})
		for range 500 {
			f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Sink: &client{stuck: stuck}})
		}
		c, _ := f.join("y", "b")
		pass(500 * time.Millisecond)
		c.want(t, "SNAPSHOT PENDING")
		f.api.set("b", "PAID")
		pass(1200 * time.Millisecond)
		c.want(t, "CHANGED PAID")
		close(stuck)
		pass(time.Second)
	})
}

// busySink counts the sinks that send at the same time.
type busySink struct{ now, peak *atomic.Int64 }

func (s busySink) Send(live.Event) error {
	if now := s.now.Add(1); now > s.peak.Load() {
		s.peak.Store(now)
	}
	time.Sleep(time.Nanosecond) // all that send at this time have begun
	s.now.Add(-1)
	return nil
}

func (busySink) Heartbeat() error { return nil }
func (busySink) End(live.End)     {}

// TestFewSenders: an event for many streams is sent by a few goroutines.
func TestFewSenders(t *testing.T) {
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		var now, peak atomic.Int64
		for range 1000 {
			f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: transaction("a"), Sink: busySink{&now, &peak}})
		}
		f.api.set("a", "PAID")
		pass(2 * time.Second)
		if n := peak.Load(); n == 0 || n > 2 {
			t.Errorf("%d goroutines sent at the same time", n)
		}
		if s := f.Stats(); s.Events[live.Snapshot] != 1000 {
			t.Errorf("%d streams got an event", s.Events[live.Snapshot])
		}
	})
}
