package live_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/live"
)

// fleet is replicas over one API. A hint of one reaches the others at once.
type fleet struct {
	t        *testing.T
	api      *api
	replicas []*fixture

	mu    sync.Mutex
	hints []live.Hint // that were sent
}

// newFleet starts replicas, in a bubble of synctest.
func newFleet(t *testing.T, n int) *fleet {
	f := &fleet{t: t, api: newAPI()}
	for i := range n {
		r := &fixture{t: t, api: f.api}
		r.Engine = live.New(live.Config{Source: f.api, Hint: func(hint live.Hint) {
			f.mu.Lock()
			f.hints = append(f.hints, hint)
			f.mu.Unlock()
			for j, other := range f.replicas {
				if j != i {
					go other.Hinted([]live.Hint{hint})
				}
			}
		}})
		t.Cleanup(r.Close)
		f.replicas = append(f.replicas, r)
	}
	return f
}

// sent returns the number of hints since the last call.
func (f *fleet) sent() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, f.hints = len(f.hints), nil
	return n
}

// TestHintOfChange: a change that a stream of one replica sees reaches those of the others within 50 ms, or the quarter
// of a second between two reads by hints, by one read of each, which sends no hint.
func TestHintOfChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 3)
		f.api.set("a", "PAID") // settled: read each 30 s
		var clients []*client
		for _, r := range f.replicas {
			c, _ := r.join("x", "a")
			clients = append(clients, c)
			pass(7 * time.Second)
		}
		if n := f.sent(); n > 0 {
			t.Errorf("%d hints at first reads", n)
		}
		f.api.set("a", "REFUNDED")
		f.api.count()
		for f.replicas[0].Stats().Events[live.Changed]+f.replicas[1].Stats().Events[live.Changed]+f.replicas[2].Stats().Events[live.Changed] == 0 {
			time.Sleep(time.Millisecond)
		}
		pass(301 * time.Millisecond)
		wantAll(t, clients, "SNAPSHOT PAID", "CHANGED REFUNDED")
		if n, reads := f.sent(), f.api.count(); n != 1 || reads > 5 { // up to two reads found no change
			t.Errorf("%d hints, %d reads", n, reads)
		}
	})
}

// TestHintOfWebhook: a webhook to one replica makes the others read once, whether it has a stream or not.
func TestHintOfWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 3)
		f.api.set("a", "PAID")
		first, _ := f.replicas[0].join("x", "a")
		second, stream := f.replicas[1].join("y", "a")
		pass(3 * time.Second)
		f.sent()
		for i, status := range []string{"REFUNDED", "PAID"} {
			f.api.set("a", status)
			f.api.count()
			f.replicas[2*i].Nudge("a") // the last one has no stream
			pass(60 * time.Millisecond)
			if n, reads := f.sent(), f.api.count(); n != 1 || reads != 2 {
				t.Errorf("webhook to replica %d: %d hints, %d reads", 2*i, n, reads)
			}
			pass(3 * time.Second)
			f.api.count()
		}
		wantAll(t, []*client{first, second}, "SNAPSHOT PAID", "CHANGED REFUNDED", "CHANGED PAID")
		stream.Close()
		pass(3 * time.Second)
		f.api.readsByToken()
		f.replicas[2].Nudge("a")
		pass(time.Second)
		f.replicas[1].wantReadsOf("y", 0, 0, "without a stream")
	})
}

// TestForgedHints: hints that name no watched record cause nothing, and those that do at most four reads a second.
func TestForgedHints(t *testing.T) {
	simulate(t, "", live.Config{Hint: func(live.Hint) {}, Interval: time.Hour}, func(_ *testing.T, f *fixture) {
		f.join("x", "a")
		pass(time.Minute)
		f.api.count()
		for range 1000 {
			f.Hinted([]live.Hint{live.HintOf("b"), {}, live.HintOf("a")})
			time.Sleep(time.Millisecond)
		}
		pass(time.Second)
		f.wantReads(1, 5, "for 1,000 hints in a second")
	})
}
