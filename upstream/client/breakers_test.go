package client

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// fail makes n calls for targets of a caller, of which all fail, and returns how many were allowed.
func (b *breakers) fail(n int, caller string, targets ...string) (made int) {
	return b.call(n, result{health: bad}, caller, targets...)
}

// call is fail with another result.
func (b *breakers) call(n int, r result, caller string, targets ...string) (made int) {
	for i := range n {
		from := b.originOf(caller, caller, targets[i%len(targets)], false)
		if p, ok := b.allow(from); ok {
			made++
			b.report(p, from, r)
		}
	}
	return made
}

var succeeds = result{health: good}

// TestOneCannotOpenForAll: however many calls of one caller fail, or calls for one target, the breaker of the service
// stays closed, also if a few other calls fail. Further callers, or failures without a connection, open it.
func TestOneCannotOpenForAll(t *testing.T) {
	records := []string{"1", "2", "3", "4", "5", "6", "7"}
	tests := []struct {
		name string
		run  func(b *breakers)
		want string
	}{
		{"a caller with one target", func(b *breakers) { b.fail(1000, "a", "1") }, stateClosed},
		{"a caller with several targets", func(b *breakers) { b.fail(1000, "a", records...) }, stateClosed},
		{"several callers with one target", func(b *breakers) {
			for _, caller := range records {
				b.fail(5, caller, "1")
			}
		}, stateClosed},
		{"a few failures of others", func(b *breakers) {
			b.fail(1000, "a", records...)
			b.call(9, succeeds, "b", records...)
			b.fail(4, "b", records...)
		}, stateClosed},
		{"several callers with several targets", func(b *breakers) {
			for _, caller := range records {
				b.fail(5, caller, records...)
			}
		}, stateOpen},
		{"no connections", func(b *breakers) { b.call(20, result{bad, true}, "a", records...) }, stateOpen},
	}
	for _, tt := range tests {
		b := newBreakers(BreakerConfig{Percent: 50}, func() {})
		if tt.run(b); b.service.currentState() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, b.service.currentState(), tt.want)
		}
	}
}

// TestOwnGroups: two callers are never counted as one, whatever their hashes are and which callers called before.
func TestOwnGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := []string{"1", "2", "3"}
		for range 100 {
			b := newBreakers(BreakerConfig{Percent: 50}, func() {})
			for n := range 2 * maxWorking {
				b.call(3, succeeds, fmt.Sprint(n), fmt.Sprint("record ", n))
			}
			time.Sleep(DefaultBreakerWindow)
			if b.fail(20, "a", records...); b.service.currentState() != stateClosed {
				t.Error("one caller opens the breaker")
			}
			if b.fail(20, "b", records...); b.service.currentState() != stateOpen {
				t.Error("two callers do not open the breaker")
			}
		}
	})
}

// TestOneGroupInTime: the calls of a caller are counted together, also of one that gets a group of its own later.
func TestOneGroupInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			b := newBreakers(BreakerConfig{Percent: 50}, func() {})
			for n := range 2 * maxWorking {
				b.call(1, succeeds, fmt.Sprint(n), fmt.Sprint("record ", n))
			}
			time.Sleep(DefaultBreakerWindow / 2)
			b.fail(10, "a", "1", "2", "3")
			time.Sleep(DefaultBreakerWindow / 2)
			if b.fail(10, "a", "1", "2", "3"); b.service.currentState() != stateClosed {
				t.Fatal("one caller opens the breaker")
			}
		}
	})
}

// TestFailingTarget: after a few failures, a target is called for its caller once in each wait. Nothing else waits.
func TestFailingTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreakers(BreakerConfig{Percent: 50}, func() {})
		if made := b.fail(100, "a", "1"); made != targetFailures {
			t.Errorf("%d calls made, want %d", made, targetFailures)
		}
		if after := b.retryAfter(b.originOf("a", "a", "1", false)); after != DefaultBreakerWait {
			t.Errorf("retry after %s", after)
		}
		if b.call(3, succeeds, "a", "2") != 3 || b.call(3, succeeds, "b", "1") != 3 {
			t.Error("other calls wait")
		}
		time.Sleep(DefaultBreakerWait)
		if made := b.fail(10, "a", "1"); made != 1 {
			t.Errorf("%d calls made after the wait, want 1", made)
		}
		time.Sleep(DefaultBreakerWait)
		if made := b.call(10, succeeds, "a", "1"); made != 10 {
			t.Errorf("%d calls made after a success, want 10", made)
		}
	})
}

// TestBreakerOfCaller: a caller whose calls fail for several targets makes no more calls for a while; the others do.
func TestBreakerOfCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreakers(BreakerConfig{Percent: 50}, func() {})
		targets := make([]string, 2*DefaultBreakerCalls)
		for i := range targets {
			targets[i] = string(rune('a' + i))
		}
		if made := b.fail(len(targets), "a", targets...); made != DefaultBreakerCalls {
			t.Errorf("%d calls made", made)
		}
		if b.call(10, succeeds, "b", targets...) != 10 {
			t.Error("another caller waits")
		}
		time.Sleep(DefaultBreakerWait)
		if made := b.call(10, succeeds, "a", "other"); made != 10 {
			t.Errorf("%d calls made after the wait, want 10", made)
		}
	})
}

// TestFailingCallersAreBounded: new callers replace those that called longest ago, and their targets are bounded.
func TestFailingCallersAreBounded(t *testing.T) {
	b := newBreakers(BreakerConfig{Percent: 50, Calls: 1 << 20}, func() {}) // none opens
	for i := range 2 * maxFailingCallers {
		caller := string(rune(i + 1000))
		for j := range 2 * maxFailingTargets {
			b.fail(1, caller, string(rune(j+1000)))
			if i > 0 {
				break
			}
		}
	}
	if b.callers.Len() != maxFailingCallers {
		t.Errorf("%d callers", b.callers.Len())
	}
	for _, c := range b.callers.All() {
		if len(c.targets) > maxFailingTargets {
			t.Fatalf("%d targets", len(c.targets))
		}
	}
}

// TestBackgroundCalls: calls in the background do not open a breaker, and leave its probes to others. While nobody else
// calls, they close it.
func TestBackgroundCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := openBreaker()
		time.Sleep(DefaultBreakerWait)
		read := origin{caller: 1, target: 1, background: true}
		var reads []permit
		for range 10 {
			if p, ok := b.allow(read); ok {
				reads = append(reads, p)
			}
		}
		if probes := b.probes(); len(reads) != breakerProbes || len(probes) != breakerProbes {
			t.Fatalf("%d reads and %d probes", len(reads), len(probes))
		}
		b.report(reads[0], read, result{bad, true})
		b.want(t, stateHalfOpen)
		time.Sleep(DefaultBreakerWait)
		for range breakerProbes {
			p, ok := b.allow(read)
			if !ok {
				t.Fatal("a read waits")
			}
			b.report(p, read, succeeds)
		}
		b.want(t, stateClosed)
		for range 1000 {
			p, _ := b.allow(read)
			b.report(p, read, result{bad, true})
		}
		if b.currentState() != stateClosed {
			t.Errorf("%s after failures in the background", b.currentState())
		}
	})
}

// TestOneTargetInHalfOpen: failures of one target, of whatever callers, do not open a half-open breaker. A target that
// is known to fail keeps the breaker of its caller open no longer than its other targets fail.
func TestOneTargetInHalfOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := openBreaker()
		time.Sleep(DefaultBreakerWait)
		for caller := range uint64(2) {
			from := origin{caller: caller, target: 7}
			if p, ok := service.allow(from); ok {
				service.report(p, from, result{health: bad})
			}
		}
		if state := service.currentState(); state != stateHalfOpen {
			t.Error("one target of two callers:", state)
		}
		b := newBreakers(BreakerConfig{Percent: 50}, func() {})
		b.fail(targetFailures, "a", "failing")
		b.fail(10, "a", "1", "2", "3", "4", "5") // an outage
		for range 2 {
			time.Sleep(DefaultBreakerWait + time.Second)
			b.fail(1, "a", "failing")
			b.call(breakerProbes, succeeds, "a", "1")
		}
		if made := b.call(10, succeeds, "a", "2"); made != 10 {
			t.Errorf("%d of 10 calls for another target were made after the outage", made)
		}
	})
}

// TestOneCallerInHalfOpen: a caller whose calls fail or hang in the half-open state leaves probes for the others, whose
// successes close the breaker.
func TestOneCallerInHalfOpen(t *testing.T) {
	for name, health := range map[string]bool{"fails": true, "hangs": false} {
		synctest.Test(t, func(t *testing.T) {
			b := openBreaker()
			time.Sleep(DefaultBreakerWait)
			attacker, other := origin{caller: 1, target: 1}, origin{caller: 2, target: 2}
			for range 10 {
				if p, ok := b.allow(attacker); ok && health {
					b.report(p, attacker, result{health: bad})
				}
			}
			for range breakerProbes {
				p, ok := b.allow(other)
				if !ok {
					t.Fatalf("%s: another caller waits %s", name, b.retryAfter(other))
				}
				b.report(p, other, succeeds)
			}
			if b.currentState() != stateClosed {
				t.Errorf("%s: %s", name, b.currentState())
			}
		})
	}
}
