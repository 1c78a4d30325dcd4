package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
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
					if shut := b.retryAfter() > 0; shut != (s.state == "open") {
						t.Errorf("step %d: open for %v", i, b.retryAfter())
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
		permits := b.probes()
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

// probes are the calls that a breaker lets through of many.
func (b *breaker) probes() (permits []permit) {
	for range 10 {
		if p, ok := b.enter(); ok {
			permits = append(permits, p)
		}
	}
	return permits
}

// A service that is silent when it is tried gets as many calls again after each wait, and no more. What the earlier ones
// come to does not open the breaker, which would put off the next.
func TestASilentServiceIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(BreakerConfig{Percent: 50}, func() {})
		b.calls(DefaultBreakerCalls, failing)
		var rounds [4][]permit
		for i := range rounds {
			time.Sleep(DefaultBreakerWait - 1)
			if early := b.probes(); len(early) != 0 {
				t.Fatalf("round %d: %d calls too early", i, len(early))
			}
			time.Sleep(time.Nanosecond)
			if rounds[i] = b.probes(); len(rounds[i]) != breakerProbes || b.state() != "half-open" {
				t.Fatalf("round %d: %d calls, want %d; %s", i, len(rounds[i]), breakerProbes, b.state())
			}
			if i > 0 {
				b.leave(rounds[i-1][0], failing)
				b.leave(rounds[i-1][1], neither)
			}
			if more := b.probes(); len(more) != 0 || b.state() != "half-open" {
				t.Fatalf("round %d: %d calls more, %s", i, len(more), b.state())
			}
		}
		b.leave(rounds[0][2], healthy) // slow, but an answer
		b.leave(rounds[3][0], healthy)
		if b.state() != "half-open" {
			t.Error(b.state())
		}
		b.leave(rounds[3][1], healthy)
		if b.state() != "closed" {
			t.Error(b.state())
		}
	})
}

// Of a service that lost two calls and answers others, one after the other close the breaker.
func TestAnswersBesideSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(BreakerConfig{Percent: 50}, func() {})
		b.calls(DefaultBreakerCalls, failing)
		time.Sleep(DefaultBreakerWait)
		for range 2 {
			b.enter()
		}
		if made := b.calls(3, healthy); made != 3 || b.state() != "closed" {
			t.Errorf("%d calls, %s", made, b.state())
		}
	})
}

// The last of the rounds opens the breaker.
func TestASilentServiceThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(BreakerConfig{Percent: 50}, func() {})
		b.calls(DefaultBreakerCalls, failing)
		time.Sleep(DefaultBreakerWait)
		b.probes()
		time.Sleep(DefaultBreakerWait)
		b.leave(b.probes()[0], failing)
		if b.state() != "open" || b.retryAfter() != DefaultBreakerWait {
			t.Errorf("%s for %s", b.state(), b.retryAfter())
		}
	})
}

// Who is sent away is told when the next calls are let through, or to ask soon while some are under way.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(BreakerConfig{Percent: 50}, func() {})
		want := func(what string, after time.Duration) {
			t.Helper()
			if got := b.retryAfter(); got != after {
				t.Errorf("%s: %s, want %s", what, got, after)
			}
		}
		want("closed", 0)
		b.calls(DefaultBreakerCalls, failing)
		time.Sleep(time.Second)
		want("open", DefaultBreakerWait-time.Second)
		time.Sleep(DefaultBreakerWait - time.Second)
		want("the wait is over", 0)
		first, _ := b.enter()
		want("one of three is under way", 0)
		b.probes()
		want("all are", mostPatience)
		time.Sleep(DefaultBreakerWait - time.Millisecond)
		want("the next are near", time.Millisecond)
		time.Sleep(time.Millisecond)
		want("the next may be made", 0)
		b.leave(first, failing)
		want("half-open by a round that nobody took the place of", DefaultBreakerWait)
	})
	if after := newBreaker(BreakerConfig{}, nil).retryAfter(); after != 0 {
		t.Errorf("%s without a breaker", after)
	}
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
	if made := b.calls(1000, failing); b != nil || made != 1000 || b.state() != "closed" || b.retryAfter() != 0 {
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

// Those who are sent away together are not told to come back together.
func TestComingBackIsSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := 0.0
		s := &service{breaker: newBreaker(BreakerConfig{Percent: 50}, func() {})}
		c := &Client{config: Config{Random: func() float64 { return random }}}
		s.breaker.calls(DefaultBreakerCalls, failing)
		for _, want := range []time.Duration{DefaultBreakerWait, DefaultBreakerWait * 9 / 8} {
			var failed *upstream.Error
			if err := c.shed(&call{service: s}, errOpen); !errors.As(err, &failed) || failed.RetryAfter != want {
				t.Errorf("%s, want %s", failed.RetryAfter, want)
			}
			random += 0.5
		}
	})
}
