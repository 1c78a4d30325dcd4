package limits_test

import (
	"fmt"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// Attacks on the rates of a fleet that succeeded once.

// even sends requests in turn to each replica, and returns how many were accepted.
func (r *replicas) even(call *request.Call, d time.Duration, perSecond float64) (accepted int) {
	step, settled := time.Duration(float64(time.Second)/perSecond), r.clock.time()
	for i := range int(d / step) {
		r.clock.advance(step)
		if r.list[i%len(r.list)].send(call, 1) == 0 {
			accepted++
		}
		if now := r.clock.time(); now.Sub(settled) >= 50*time.Millisecond {
			settled = now
			r.settle()
		}
	}
	return accepted
}

// TestLateSettlement: a settlement that Redis runs 60 ms later than the others refuses no caller near its rate.
func TestLateSettlement(t *testing.T) {
	for _, rate := range []limits.Rate{{PerSecond: 50, Burst: 1}, {PerSecond: 500, Burst: 10}, {PerSecond: 5000, Burst: 200}} {
		for _, n := range []int{1, 3} {
			r := newReplicas(t, n, limits.RateConfig{PerIdentity: rate})
			const late = 60 * time.Millisecond
			accepted, sent := 0, 0
			send := func(d time.Duration, perSecond float64) {
				accepted += r.even(as("a"), d, perSecond)
				sent += int(d / time.Duration(float64(time.Second)/perSecond))
			}
			for range 20 {
				send(time.Second-late, 0.95*rate.PerSecond)
				charges := r.list[0].Unsettled(100)
				r.away = true // nothing is settled meanwhile
				send(late, 0.95*rate.PerSecond)
				r.away = false
				r.answer(charges)
				r.list[0].Settled(charges, n)
				r.settle() // in time
			}
			if accepted != sent {
				t.Errorf("%+v, %d replicas: %d of %d requests were accepted", rate, n, accepted, sent)
			}
		}
	}
}

// TestSettlementsFailEvenly: while the settlements of a caller fail, it gets one rate also if its buckets stay nearly
// full.
func TestSettlementsFailEvenly(t *testing.T) {
	for _, n := range []int{3, 10} {
		r := newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 20}})
		r.run(as("a"), 20*time.Second, 500)
		r.fails = true
		r.clock.advance(500 * time.Millisecond)
		wantShare(t, r.even(as("a"), 10*time.Second, 49*float64(n)), 50, 10*time.Second, 0, 1.2, "%d replicas", n)
		r = newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 20}})
		r.fails = true
		if accepted := r.even(as("a"), 10*time.Second, 45); accepted != 450 {
			t.Errorf("%d replicas: %d of 450 requests within the rate were accepted", n, accepted)
		}
	}
}

// TestSmallBurstsInOutages: parts of tokens add up over many outages.
func TestSmallBurstsInOutages(t *testing.T) {
	r := newReplicas(t, 10, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 0.1, Burst: 1}})
	accepted := 0
	const outages = 100
	for range outages {
		r.notice(true)
		r.clock.advance(500 * time.Millisecond)
		accepted += r.burst("a", 1)
		r.clock.advance(500 * time.Millisecond)
		r.notice(false)
		for range 10 {
			r.clock.advance(time.Second)
			r.settle()
		}
	}
	if most := 11*outages/10 + 10; accepted > most {
		t.Errorf("%d accepted, want the rate and a burst of each replica, %d", accepted, most)
	}
}

// TestBurstsBeforeOutages: what was taken and not yet settled when an outage begins is settled after it. What is
// refilled in the 100 ms before it is noticed is not.
func TestBurstsBeforeOutages(t *testing.T) {
	for _, n := range []int{3, 10} {
		r := newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 200}})
		accepted := 0
		const outages = 100
		for range outages {
			r.run(as("other"), time.Second, 1)
			r.away = true
			r.clock.advance(50 * time.Millisecond)
			accepted += r.burst("a", 75)
			r.clock.advance(50 * time.Millisecond)
			r.notice(true)
			r.run(as("other"), 900*time.Millisecond, 1)
			r.notice(false)
		}
		wantShare(t, accepted, 50, 2*outages*time.Second, 0, 1.35, "%d replicas", n)
	}
}

// TestAnswerAfterDivide: what others took, according to an answer that comes when Redis is not used any more, is not
// settled as this replica's.
func TestAnswerAfterDivide(t *testing.T) {
	r := newReplicas(t, 3, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 100}})
	r.list[1].send(as("a"), 60)
	r.settle()
	one := r.list[0]
	one.send(as("a"), 1)
	charges := one.Unsettled(100)
	r.answer(charges)
	r.notice(true)
	one.Settled(charges, 3)
	r.clock.advance(time.Second)
	r.notice(false)
	if again := one.Unsettled(100); len(again) > 0 {
		t.Errorf("settled again: %+v", again)
	}
	if wait := one.send(as("a"), 60); wait < 15*time.Second {
		t.Errorf("the answer is forgotten: the wait is %v", wait)
	}
}

// TestEvictionWhileSettling: a bucket whose settlement is not answered is not evicted, and one that is full later is.
func TestEvictionWhileSettling(t *testing.T) {
	r := newReplicas(t, 1, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 100, Burst: 10}, Buckets: 1})
	one := r.list[0]
	one.send(as("a"), 1)
	charges := one.Unsettled(100)
	r.clock.advance(50 * time.Millisecond)
	one.send(as("other"), 1)
	charges[0].Settled, charges[0].Debt = true, time.Second // others took 100
	one.Settled(charges, 2)
	if one.send(as("a"), 1) == 0 {
		t.Error("the answer was lost with its bucket")
	}
	r.clock.advance(2 * time.Second)
	one.send(as("new"), 1)
	if list := one.Unsettled(100); len(list) != 1 || list[0].Key == charges[0].Key {
		t.Errorf("a full bucket is not evicted: %+v", list)
	}
}

// burst sends requests to each replica until it refuses one, and most at most. It returns how many were accepted.
func (r *replicas) burst(name string, most int) (accepted int) {
	for _, one := range r.list {
		for range most {
			if one.send(as(name), 1) != 0 {
				break
			}
			accepted++
		}
	}
	return accepted
}

// fail lets Redis fail with the settlements that are under way: they time out, and nothing is settled until notice.
func (r *replicas) fail() {
	lost := make([][]fleet.Charge, len(r.list))
	for i, one := range r.list {
		lost[i] = one.Unsettled(128)
	}
	r.clock.advance(100 * time.Millisecond)
	r.notice(true)
	for i, one := range r.list {
		one.Settled(lost[i], len(r.list))
	}
}

// TestUnderWayInOutages: what is being settled when Redis fails is added up after the outage, like what was not sent.
func TestUnderWayInOutages(t *testing.T) {
	for _, n := range []int{3, 10} {
		r := newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 200}})
		accepted := 0
		const outages = 100
		for range outages {
			r.run(as("other"), time.Second, 1)
			accepted += r.burst("a", 200)
			r.clock.advance(25 * time.Millisecond)
			r.fail()
			r.run(as("other"), 875*time.Millisecond, 1)
			r.notice(false)
		}
		wantShare(t, accepted-n*200, 50, 2*outages*time.Second, 0, 1.35, "%d replicas", n)
	}
}

// TestBurstsAtAnUnusableNode: a caller whose settlements all fail gets the rate with bursts at all replicas, and a
// replica's share of it with bursts at one.
func TestBurstsAtAnUnusableNode(t *testing.T) {
	for _, n := range []int{2, 3, 10} {
		for _, every := range []time.Duration{1, 2, 4, 5, 7, 12, 30} {
			r := newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 200}})
			r.fails = true
			r.burst("a", 1000)
			r.settle()
			accepted := 0
			const bursts = 50
			for range bursts {
				r.clock.advance(every * time.Second)
				accepted += r.burst("a", 1000)
				r.settle()
			}
			wantShare(t, accepted, 50, every*bursts*time.Second, 0, 1.2, "%d replicas, a burst each %d s", n, every)
		}
		r := newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 200}})
		r.fails = true
		for i := range 10 {
			for range 200 {
				if wait := r.list[0].send(as("a"), 1); wait != 0 {
					t.Fatalf("%d replicas, burst %d at one of them: refused, %v", n, i, wait)
				}
			}
			r.settle()
			r.clock.advance(time.Duration(n) * 4 * time.Second)
		}
	}
}

// TestEvictionAfterDebt: a caller in debt, whose bucket is the least recently used one, does not keep others out.
func TestEvictionAfterDebt(t *testing.T) {
	r := newReplicas(t, 1, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 5, Burst: 20}, Buckets: 100})
	one := r.list[0]
	r.burst("in debt", 20)
	for i := range 200 {
		if one.send(as(fmt.Sprint("caller ", i)), 1) != 0 {
			t.Fatalf("caller %d was refused its first request", i)
		}
		r.settle()
		r.clock.advance(10 * time.Millisecond)
	}
}

// TestAddressesAreSettled: while more callers than a batch holds are to be settled, addresses are settled too.
func TestAddressesAreSettled(t *testing.T) {
	rate := limits.Rate{PerSecond: 50, Burst: 200}
	r := newReplicas(t, 1, limits.RateConfig{PerIdentity: rate, PerAddress: rate})
	one := r.list[0]
	for i := range 1000 {
		one.PayInBackground(fmt.Sprint("caller ", i), fmt.Sprint("192.0.2.", i%4), 1)
	}
	charges := one.Unsettled(128)
	addresses := 0
	for _, c := range charges {
		if c.Key[0] == 'a' {
			addresses++
		}
	}
	if addresses != 4 || len(charges) != 128 {
		t.Errorf("%d addresses of 4 in %d charges", addresses, len(charges))
	}
}
