package live_test

import (
	"fmt"
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

// TestHeartbeats: streams that begin at different times get their heartbeats at the right intervals. They soon get them
// at the same times, so that the process wakes rarely. In a process that wakes at nearly all ticks for reads they do
// not, so that queries do not wait for the work of many.
func TestHeartbeats(t *testing.T) {
	for name, tt := range map[string]struct {
		streams, records int
		between          time.Duration // the beginnings of two streams
		early, late      time.Duration
		times, together  int // the limits of different times, and of heartbeats at one time
	}{
		"together": {200, 1, 7 * time.Millisecond, 0, 200 * time.Millisecond, 14, 200},
		"apart":    {400, 400, 0, 200 * time.Millisecond, 20 * time.Millisecond, 400, 40},
	} {
		simulate(t, name, live.Config{}, func(t *testing.T, f *fixture) {
			var all []*heartbeats
			for i := range tt.streams {
				h := new(heartbeats)
				subject := transaction(fmt.Sprint(i % tt.records))
				f.joinWith(live.Request{Token: live.Token{Key: "x"}, Subject: subject, Sink: h})
				all = append(all, h)
				time.Sleep(tt.between)
			}
			pass(3*live.DefaultHeartbeat + time.Second)
			times := map[time.Time]int{}
			for _, h := range all {
				if len(h.at) < 3 {
					t.Fatalf("%d heartbeats", len(h.at))
				}
				times[h.at[2]]++
				apart := h.at[2].Sub(h.at[1]) - live.DefaultHeartbeat
				if apart < -tt.early || apart > tt.late {
					t.Errorf("%v more than the interval between two heartbeats", apart)
				}
			}
			if len(times) > tt.times {
				t.Errorf("heartbeats of %d streams at %d times", tt.streams, len(times))
			}
			for at, n := range times {
				if n > tt.together {
					t.Errorf("%d heartbeats at %v", n, at)
				}
			}
		})
	}
}
