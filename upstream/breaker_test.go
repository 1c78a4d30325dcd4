package upstream

import (
	"testing"
	"testing/synctest"
	"time"
)

// calls passes calls with the same verdict through a breaker, and returns how many it let through.
func (b *breaker) calls(n int, v verdict) (made int) {
	for range n {
		if p, ok := b.enter(); ok {
			made++
			b.leave(p, v)
		}
	}
	return made
}

func TestBreaker(t *testing.T) {
	type step struct {
		calls   int
		verdict verdict
		pause   time.Duration // before the calls
		made    int
		state   string // after them
	}
	const wait = 5 * time.Second
	open := step{calls: 10, verdict: failing, made: 10, state: "open"}
	tests := []struct {
		name  string
		steps []step
	}{
		{"a service that answers", []step{{calls: 100, verdict: healthy, made: 100, state: "closed"}}},
		{"too few calls to tell", []step{{calls: 9, verdict: failing, made: 9, state: "closed"}}},
		{"fewer failures than half", []step{
			{calls: 11, verdict: healthy, made: 11, state: "closed"}, {calls: 10, verdict: failing, made: 10, state: "closed"},
		}},
		{"half of the calls", []step{
			{calls: 10, verdict: healthy, made: 10, state: "closed"}, {calls: 20, verdict: failing, made: 10, state: "open"},
		}},
		{"failures of an earlier window", []step{
			{calls: 9, verdict: failing, made: 9, state: "closed"}, {calls: 9, verdict: failing, pause: time.Minute, made: 9, state: "closed"},
		}},
		{"calls that say nothing", []step{{calls: 100, verdict: neither, made: 100, state: "closed"}}},
		{"open until the wait is over", []step{open, {calls: 5, verdict: healthy, pause: wait - 1, made: 0, state: "open"}}},
		{"good answers close it", []step{open,
			{calls: 1, verdict: healthy, pause: wait, made: 1, state: "half-open"}, {calls: 2, verdict: healthy, made: 2, state: "closed"},
		}},
		{"a bad one opens it again", []step{open,
			{calls: 2, verdict: healthy, pause: wait, made: 2, state: "half-open"}, {calls: 9, verdict: failing, made: 1, state: "open"},
			{calls: 3, verdict: healthy, pause: wait, made: 3, state: "closed"},
		}},
		{"calls that are broken off do not use the tries up", []step{open,
			{calls: 20, verdict: neither, pause: wait, made: 20, state: "half-open"}, {calls: 3, verdict: healthy, made: 3, state: "closed"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opened, open := 0, 0
				b := newBreaker(BreakerConfig{Percent: 50, Calls: 10, Window: 10 * time.Second, Wait: wait}, func() { opened++ })
				for i, s := range tt.steps {
					time.Sleep(s.pause) // of the bubble
					if made := b.calls(s.calls, s.verdict); made != s.made || b.state() != s.state {
						t.Errorf("step %d: %d of %d calls made, then %s; want %d and %s", i, made, s.calls, b.state(), s.made, s.state)
					}
					if s.state == "open" && s.made > 0 {
						open++
					}
					if shut := b.closedFor() > 0; shut != (s.state == "open") {
						t.Errorf("step %d: closed for %v", i, b.closedFor())
					}
				}
				if opened != open {
					t.Errorf("told of %d openings, want %d", opened, open)
				}
			})
		})
	}
}

// While a service is tried again, three calls are under way to it and no more.
func TestProbesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(BreakerConfig{Percent: 50}, func() {})
		b.calls(DefaultBreakerCalls, failing)
		time.Sleep(DefaultBreakerWait)
		var permits []permit
		for range 10 {
			if p, ok := b.enter(); ok {
				permits = append(permits, p)
			}
		}
		if len(permits) != breakerProbes {
			t.Fatalf("%d calls, want %d", len(permits), breakerProbes)
		}
		for _, p := range permits {
			b.leave(p, healthy)
		}
		if b.state() != "closed" {
			t.Error(b.state())
		}
	})
}

// What was begun before the breaker opened tells nothing about the service that is tried again.
func TestLateResults(t *testing.T) {
	for _, late := range []verdict{healthy, failing, neither} {
		synctest.Test(t, func(t *testing.T) {
			b := newBreaker(BreakerConfig{Percent: 50}, func() {})
			var begun []permit
			for range 10 {
				p, _ := b.enter()
				begun = append(begun, p)
			}
			b.calls(DefaultBreakerCalls, failing)
			time.Sleep(DefaultBreakerWait)
			first, ok := b.enter()
			for _, p := range begun {
				b.leave(p, late)
			}
			if !ok || b.state() != "half-open" {
				t.Errorf("verdict %d: %s", late, b.state())
			}
			b.leave(first, failing)
			if b.state() != "open" {
				t.Errorf("verdict %d: %s", late, b.state())
			}
		})
	}
}

func TestNoBreaker(t *testing.T) {
	b := newBreaker(BreakerConfig{}, nil)
	if made := b.calls(1000, failing); b != nil || made != 1000 || b.state() != "closed" || b.closedFor() != 0 {
		t.Errorf("%d calls made, %s", made, b.state())
	}
}

func TestBudget(t *testing.T) {
	var b budget
	b.fill()
	spent := func() (n int) {
		for b.spend() {
			n++
		}
		return n
	}
	if got := spent(); got != budgetReserve {
		t.Errorf("%d at the start, want %d", got, budgetReserve)
	}
	total := 0
	for range 1000 {
		b.earn()
		total += spent()
	}
	if total != 100 {
		t.Errorf("%d of 1,000 calls, want a tenth", total)
	}
	for range 1000 {
		b.earn()
	}
	if got := spent(); got != budgetReserve {
		t.Errorf("%d saved up, want %d", got, budgetReserve)
	}
}
