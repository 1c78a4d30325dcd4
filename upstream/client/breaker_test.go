package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
)

// What an exchange says about the health of its service.
const good, bad, unknown = upstream.HealthGood, upstream.HealthBad, upstream.HealthUnknown

// newServiceBreaker returns the breaker of a service.
func newServiceBreaker(config BreakerConfig, onOpen func()) *breaker {
	return newBreaker(config, true, onOpen)
}

// nth is the origin of the nth call: five callers read seven targets in turn.
func nth(n int) origin { return origin{caller: uint64(n % 5), target: uint64(n % 7)} }

// calls reports n calls of the same health to a breaker, and returns how many of them it allowed.
func (b *breaker) calls(n int, health upstream.Health) (made int) {
	for i := range n {
		if p, ok := b.allow(nth(i)); ok {
			made++
			b.report(p, nth(i), result{health: health})
		}
	}
	return made
}

func TestBreaker(t *testing.T) {
	type step struct {
		calls  int
		health upstream.Health
		pause  time.Duration // before the calls
		made   int
		state  string // after them
	}
	const wait = 5 * time.Second
	open := step{calls: 10, health: bad, made: 10, state: "open"}
	tests := []struct {
		name  string
		steps []step
	}{
		{"only successes", []step{{calls: 100, health: good, made: 100, state: "closed"}}},
		{"fewer calls than the minimum", []step{{calls: 9, health: bad, made: 9, state: "closed"}}},
		{"fewer failures than half", []step{
			{calls: 11, health: good, made: 11, state: "closed"}, {calls: 10, health: bad, made: 10, state: "closed"},
		}},
		{"failures are half of the calls", []step{
			{calls: 10, health: good, made: 10, state: "closed"}, {calls: 20, health: bad, made: 10, state: "open"},
		}},
		{"failures of an earlier window", []step{
			{calls: 9, health: bad, made: 9, state: "closed"}, {calls: 9, health: bad, pause: time.Minute, made: 9, state: "closed"},
		}},
		{"unknown outcomes", []step{{calls: 100, health: unknown, made: 100, state: "closed"}}},
		{"open during the wait", []step{open, {calls: 5, health: good, pause: wait - 1, made: 0, state: "open"}}},
		{"successes close it", []step{open,
			{calls: 1, health: good, pause: wait, made: 1, state: "half-open"}, {calls: 2, health: good, made: 2, state: "closed"},
		}},
		{"failures of two callers open it again", []step{open,
			{calls: 2, health: good, pause: wait, made: 2, state: "half-open"}, {calls: 9, health: bad, made: 2, state: "open"},
			{calls: 3, health: good, pause: wait, made: 3, state: "closed"},
		}},
		{"calls with an unknown outcome return their permits", []step{open,
			{calls: 20, health: unknown, pause: wait, made: 20, state: "half-open"}, {calls: 3, health: good, made: 3, state: "closed"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				notified, openings := 0, 0
				b := newServiceBreaker(BreakerConfig{Percent: 50, Calls: 10, Window: 10 * time.Second, Wait: wait}, func() { notified++ })
				for i, s := range tt.steps {
					time.Sleep(s.pause) // in the time of the synctest bubble
					if made := b.calls(s.calls, s.health); made != s.made || b.currentState() != s.state {
						t.Errorf("step %d: %d of %d calls made, then %s; want %d and %s", i, made, s.calls, b.currentState(), s.made, s.state)
					}
					if s.state == "open" && s.made > 0 {
						openings++
					}
					if rejecting := b.retryAfter(nth(0)) > 0; rejecting != (s.state == "open") {
						t.Errorf("step %d: rejects calls for %v", i, b.retryAfter(nth(0)))
					}
				}
				if notified != openings {
					t.Errorf("notified of %d openings, want %d", notified, openings)
				}
			})
		})
	}
}

// openBreaker returns a breaker that has just opened.
func openBreaker() *breaker {
	b := newServiceBreaker(BreakerConfig{Percent: 50}, func() {})
	b.calls(DefaultBreakerCalls, bad)
	return b
}

// probe is a call that a breaker allowed.
type probe struct {
	permit permit
	from   origin
}

func (b *breaker) end(p probe, health upstream.Health) {
	b.report(p.permit, p.from, result{health: health})
}

// want fails the test unless the breaker has a state.
func (b *breaker) want(t *testing.T, state string) {
	t.Helper()
	if got := b.currentState(); got != state {
		t.Errorf("%s, want %s", got, state)
	}
}

// probes makes ten calls and returns those that the breaker allowed.
func (b *breaker) probes() (made []probe) {
	for i := range 10 {
		if p, ok := b.allow(nth(i)); ok {
			made = append(made, probe{p, nth(i)})
		}
	}
	return made
}

// TestHalfOpenAllowsMoreCallsAfterWait: a half-open breaker allows three calls at the same time. While they have no
// result, it allows three more after each wait. A failure of an earlier round does not open the breaker, which would
// delay the next round.
func TestHalfOpenAllowsMoreCallsAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBreaker()
		var rounds [4][]probe
		for i := range rounds {
			time.Sleep(DefaultBreakerWait - 1)
			if early := b.probes(); len(early) != 0 {
				t.Fatalf("round %d: %d calls too early", i, len(early))
			}
			time.Sleep(time.Nanosecond)
			if rounds[i] = b.probes(); len(rounds[i]) != breakerProbes || b.currentState() != "half-open" {
				t.Fatalf("round %d: %d calls, want %d; %s", i, len(rounds[i]), breakerProbes, b.currentState())
			}
			if i > 0 {
				b.end(rounds[i-1][0], bad)
				b.end(rounds[i-1][1], unknown)
			}
			if more := b.probes(); len(more) != 0 || b.currentState() != "half-open" {
				t.Fatalf("round %d: %d further calls, %s", i, len(more), b.currentState())
			}
		}
		b.end(rounds[0][2], good) // late, but it counts
		b.end(rounds[3][0], good)
		b.want(t, "half-open")
		b.end(rounds[3][1], good)
		b.want(t, "closed")
	})
}

// TestHalfOpenClosesDespiteLostCalls: two calls without a result do not keep the successes of other calls from closing
// the breaker.
func TestHalfOpenClosesDespiteLostCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBreaker()
		time.Sleep(DefaultBreakerWait)
		for i := range 2 {
			b.allow(nth(i))
		}
		if made := b.calls(3, good); made != 3 || b.currentState() != "closed" {
			t.Errorf("%d calls, %s", made, b.currentState())
		}
	})
}

// TestBreakerRetryAfter: retryAfter is the time until the breaker allows calls, and at most a second while calls of a
// half-open breaker are in flight.
func TestBreakerRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newServiceBreaker(BreakerConfig{Percent: 50}, func() {})
		want := func(what string, after time.Duration) {
			t.Helper()
			if got := b.retryAfter(nth(0)); got != after {
				t.Errorf("%s: %s, want %s", what, got, after)
			}
		}
		want("closed", 0)
		b.calls(DefaultBreakerCalls, bad)
		time.Sleep(time.Second)
		want("open", DefaultBreakerWait-time.Second)
		time.Sleep(DefaultBreakerWait - time.Second)
		want("after the wait", 0)
		first, _ := b.allow(nth(9))
		want("one of three calls in flight", 0)
		b.probes()
		want("three calls in flight", maxHalfOpenWait)
		time.Sleep(DefaultBreakerWait - time.Millisecond)
		want("shortly before the next round", time.Millisecond)
		time.Sleep(time.Millisecond)
		want("at the next round", 0)
		b.report(first, nth(9), result{health: bad, unconnected: true})
		want("open after a failure of the last round", DefaultBreakerWait)
	})
	if after := newServiceBreaker(BreakerConfig{}, nil).retryAfter(nth(0)); after != 0 {
		t.Errorf("%s without a breaker", after)
	}
}

// TestResultsOfEarlierStates: the result of a call that began before the breaker opened does not count for the
// half-open breaker.
func TestResultsOfEarlierStates(t *testing.T) {
	for _, late := range []upstream.Health{good, bad, unknown} {
		synctest.Test(t, func(t *testing.T) {
			b := newServiceBreaker(BreakerConfig{Percent: 50}, func() {})
			early := b.probes()
			b.calls(DefaultBreakerCalls, bad)
			time.Sleep(DefaultBreakerWait)
			first, ok := b.allow(nth(0))
			for _, p := range early {
				b.end(p, late)
			}
			if !ok || b.currentState() != "half-open" {
				t.Errorf("health %d: %s", late, b.currentState())
			}
			b.report(first, nth(0), result{health: bad, unconnected: true})
			b.want(t, "open")
		})
	}
}

func TestDisabledBreaker(t *testing.T) {
	b := newServiceBreaker(BreakerConfig{}, nil)
	if made := b.calls(1000, bad); b != nil || made != 1000 || b.currentState() != "closed" || b.retryAfter(nth(0)) != 0 {
		t.Errorf("%d calls made, %s", made, b.currentState())
	}
}

// TestRetryAfterHasJitter: callers that are rejected at the same time get different values of RetryAfter.
func TestRetryAfterHasJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := 0.0
		s := &service{breakers: newBreakers(BreakerConfig{}, nil)}
		c := &Client{config: Config{Random: func() float64 { return random }}}
		for _, want := range []time.Duration{DefaultBreakerWait, DefaultBreakerWait * 9 / 8} {
			var failed *upstream.Error
			if err := c.shed(&endpoint{service: s}, errBreakerOpen, DefaultBreakerWait); !errors.As(err, &failed) || failed.RetryAfter != want {
				t.Errorf("%s, want %s", failed.RetryAfter, want)
			}
			random += 0.5
		}
	})
}

// TestRejectedAtTheEndOfTheWait: a call that the breaker rejects just before the wait is over has a time to retry
// after, although the breaker would allow a call by now.
func TestRejectedAtTheEndOfTheWait(t *testing.T) {
	c := &Client{config: Config{Random: func() float64 { return 0 }}}
	var failed *upstream.Error
	s := &service{breakers: newBreakers(BreakerConfig{}, nil)}
	if err := c.shed(&endpoint{service: s}, errBreakerOpen, 0); !errors.As(err, &failed) || failed.RetryAfter != minRetryAfter {
		t.Errorf("%v", err)
	}
}
