package live_test

import (
	"testing"
	"time"

	"pixgraph/upstream/live"
)

// heartbeats notes when heartbeats are sent. One goroutine at a time calls its methods, or the test after
// synctest.Wait.
type heartbeats struct{ at []time.Time }

func (*heartbeats) Send(live.Event) error { return nil }
func (*heartbeats) End(live.End)          {}
func (h *heartbeats) Heartbeat() error {
	h.at = append(h.at, time.Now())
	return nil
}

// TestHeartbeatsTogether: streams that begin at different times soon get their heartbeats at the same times, so that
// the process wakes rarely, and each at the right intervals.
func TestHeartbeatsTogether(t *testing.T) {
	const streams, between = 200, 7 * time.Millisecond
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		var all []*heartbeats
		for range streams {
			h := new(heartbeats)
			f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: live.Transaction("a"), Sink: h})
			all = append(all, h)
			time.Sleep(between)
		}
		pass(3 * live.DefaultHeartbeat)
		second := map[time.Time]bool{}
		for _, h := range all {
			if len(h.at) < 2 {
				t.Fatalf("%d heartbeats", len(h.at))
			}
			second[h.at[1]] = true
			if apart := h.at[1].Sub(h.at[0]); apart < live.DefaultHeartbeat || apart > live.DefaultHeartbeat+200*time.Millisecond {
				t.Errorf("%v between two heartbeats", apart)
			}
		}
		if len(second) > streams*int(between)/int(100*time.Millisecond) {
			t.Errorf("heartbeats of %d streams at %d times", streams, len(second))
		}
	})
}

// TestHeartbeatsApart: in a process that wakes at nearly all ticks for reads, heartbeats do not happen at the same
// times, so that queries do not wait for the work of many.
func TestHeartbeatsApart(t *testing.T) {
	const streams = 400
	simulate(t, "", live.Config{}, func(t *testing.T, f *fixture) {
		var all []*heartbeats
		for _, id := range names(streams) {
			h := new(heartbeats)
			f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: live.Transaction(id), Sink: h})
			all = append(all, h)
		}
		pass(3*live.DefaultHeartbeat + time.Second)
		times := map[time.Time]int{}
		for _, h := range all {
			if len(h.at) < 3 {
				t.Fatalf("%d heartbeats", len(h.at))
			}
			times[h.at[2]]++
			if apart := h.at[2].Sub(h.at[1]); apart < live.DefaultHeartbeat-200*time.Millisecond || apart > live.DefaultHeartbeat+20*time.Millisecond {
				t.Errorf("%v between two heartbeats", apart)
			}
		}
		for at, n := range times {
			if n > streams/10 { // all would be at one time otherwise
				t.Errorf("%d heartbeats at %v", n, at)
			}
		}
	})
}
