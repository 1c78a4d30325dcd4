package limits_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// replicas are gateways that share rates, with one clock, and what Redis has.
type replicas struct {
	list  []rated
	clock *clock
	full  map[string]time.Time // when each bucket is full
	away  bool
	fails bool // whether each settlement has an error
	*rand.Rand
}

// newReplicas starts some replicas.
func newReplicas(t *testing.T, n int, config limits.RateConfig) *replicas {
	r := &replicas{clock: newClock(), full: map[string]time.Time{}, Rand: rand.New(rand.NewPCG(1, 2))}
	config.SharedIdentities, config.SharedAddresses = true, true
	for range n {
		one := newRatedAt(t, r.clock, config)
		r.list = append(r.list, one)
	}
	r.notice(false)
	return r
}

// settle settles what all replicas took.
func (r *replicas) settle() {
	for _, replica := range r.list {
		if r.away {
			continue
		}
		charges := replica.Unsettled(100)
		r.answer(charges)
		replica.Settled(charges, len(r.list))
	}
}

// answer answers the charges of a replica as settle.lua does.
func (r *replicas) answer(charges []fleet.Charge) {
	now := r.clock.time()
	for i := range charges {
		c := &charges[i]
		known := now.Add(c.Known - fleet.MaxWait)
		r.full[c.Key] = latest(r.full[c.Key], known, now.Add(-c.Age-fleet.MaxWait)).Add(c.Used)
		c.Settled, c.Debt = !r.fails, r.full[c.Key].Sub(now)
	}
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// lose makes Redis away, or return without data.
func (r *replicas) lose(away bool) {
	r.full = map[string]time.Time{}
	r.notice(away)
}

// notice lets the replicas notice that Redis is away, or has returned.
func (r *replicas) notice(away bool) {
	r.away = away
	for _, replica := range r.list {
		if away {
			replica.Divide(len(r.list))
		} else {
			replica.Unite()
		}
	}
}

// run sends requests of a caller at random replicas for some time, and returns how many were accepted.
func (r *replicas) run(call *request.Call, d time.Duration, perSecond float64) (accepted int) {
	const step = 10 * time.Millisecond
	for i := range int(d / step) {
		r.clock.advance(step)
		for n := r.Float64() + perSecond*step.Seconds(); n >= 1; n-- {
			if r.list[r.IntN(len(r.list))].send(call, 1) == 0 {
				accepted++
			}
		}
		if i%5 == 0 {
			r.settle()
		}
	}
	return accepted
}

// wantShare fails the test unless a caller got a share of its rate within bounds.
func wantShare(t *testing.T, accepted int, perSecond float64, d time.Duration, least, most float64, what string, args ...any) {
	t.Helper()
	if share := float64(accepted) / perSecond / d.Seconds(); share < least || share > most {
		t.Errorf("%s: %.3f of the rate", fmt.Sprintf(what, args...), share)
	}
}

// TestRateOfFleet: what a caller or an address gets of all replicas is the rate, at twice and ten times the load.
func TestRateOfFleet(t *testing.T) {
	const burst = 20
	rateOf := func(perSecond float64) limits.Rate { return limits.Rate{PerSecond: perSecond, Burst: burst} }
	key := newRated(t, limits.RateConfig{PerAddress: rateOf(1)}).AddressKey(httptest.NewRequest(http.MethodPost, "/", nil))
	for _, n := range []int{3, 100} {
		for _, perSecond := range []float64{5, 50, 500} {
			requests := func(n int) time.Duration { return time.Duration(float64(n) / perSecond * float64(time.Second)) }
			for name, of := range map[string]struct {
				config limits.RateConfig
				call   *request.Call
			}{
				"caller":  {limits.RateConfig{PerIdentity: rateOf(perSecond)}, as("a")},
				"address": {limits.RateConfig{PerAddress: rateOf(perSecond)}, &request.Call{Origin: request.Origin{Address: key}}},
			} {
				for _, load := range []float64{2, 10} {
					r := newReplicas(t, n, of.config)
					r.run(of.call, time.Second+requests(n*burst), load*perSecond) // the bursts
					d := max(8*time.Second, requests(1500))                       // so that the share is precise
					accepted := r.run(of.call, d, load*perSecond)
					wantShare(t, accepted, perSecond, d, 0.98, 1.02, "%v/s by %s of %d replicas at %v times the load", perSecond, name, n, load)
				}
			}
		}
	}
}

// TestWithinRateOfFleet: a caller near its rate is not refused, however short the burst, and however much is settled at
// once.
func TestWithinRateOfFleet(t *testing.T) {
	for _, rate := range []limits.Rate{{PerSecond: 5, Burst: 1}, {PerSecond: 500, Burst: 10}, {PerSecond: 5000, Burst: 200}} {
		for _, n := range []int{1, 3} {
			r := newReplicas(t, n, limits.RateConfig{PerIdentity: rate})
			const requests = 3000
			refused, settled := 0, r.clock.time()
			for i := range requests {
				r.clock.advance(time.Duration(float64(time.Second) / rate.PerSecond / 0.95))
				if r.list[i%n].send(as("a"), 1) != 0 {
					refused++
				}
				if now := r.clock.time(); now.Sub(settled) >= 50*time.Millisecond {
					settled = now
					r.settle()
				}
			}
			if refused > 0 {
				t.Errorf("%+v, %d replicas: %d of %d requests refused", rate, n, refused, requests)
			}
		}
	}
}

// TestBurstsInOutage: what a caller takes of all replicas while Redis is away is added up, and repaid.
func TestBurstsInOutage(t *testing.T) {
	for _, n := range []int{3, 10} {
		r := newReplicas(t, n, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 1000}})
		r.run(as("a"), time.Second, 1) // its bucket is full
		r.notice(true)
		accepted := r.run(as("a"), 10*time.Second, 2000)
		if accepted < 900*n {
			t.Fatalf("%d accepted in the outage", accepted)
		}
		r.notice(false)
		minutes := n
		accepted += r.run(as("a"), time.Duration(minutes)*time.Minute, 100)
		if most := 1000 + 50*(60*minutes+10); accepted > most*102/100 {
			t.Errorf("%d replicas: %d accepted in %d minutes, want one burst and the rate, %d", n, accepted, minutes, most)
		}
	}
}

// TestSettlementsFail: callers whose settlements fail, as those of one node of a cluster, get one rate.
func TestSettlementsFail(t *testing.T) {
	r := newReplicas(t, 3, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 20}})
	r.fails = true
	r.run(as("a"), 10*time.Second, 500)
	wantShare(t, r.run(as("a"), 10*time.Second, 500), 50, 10*time.Second, 0.9, 1.1, "during the failures")
	r.fails = false
	wantShare(t, r.run(as("a"), 10*time.Second, 500), 50, 10*time.Second, 0.9, 1.1, "after the failures")
}

// TestRateWithoutRedis: while Redis is away, and when it returns empty, a caller gets its rate, and no second burst.
func TestRateWithoutRedis(t *testing.T) {
	r := newReplicas(t, 3, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 200}})
	r.run(as("a"), 30*time.Second, 200)
	r.lose(true)
	accepted := r.run(as("a"), 10*time.Second, 200)
	r.lose(false)
	accepted += r.run(as("a"), 5*time.Second, 200)
	wantShare(t, accepted, 50, 15*time.Second, 0.9, 1.1, "while Redis is away, and after it")
	if wait := r.list[0].send(as("b"), 200); wait != 0 {
		t.Errorf("another caller waits %v", wait)
	}
}

// TestRateWhileRedisFlaps: Redis fails again and again, each time for 100 ms before the replicas notice it.
func TestRateWhileRedisFlaps(t *testing.T) {
	for _, used := range []time.Duration{50 * time.Millisecond, 150 * time.Millisecond, time.Second} {
		r := newReplicas(t, 3, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 50, Burst: 10}})
		within, greedy := 0, 0
		run := func(d time.Duration) {
			for range d / (50 * time.Millisecond) {
				greedy += r.run(as("greedy"), 40*time.Millisecond, 200)
				within += r.run(as("within"), 10*time.Millisecond, 100)
			}
		}
		run(5 * time.Second)
		within, greedy = 0, 0
		for range 20 {
			run(used)
			r.away = true
			run(100 * time.Millisecond)
			r.notice(true)
			run(900 * time.Millisecond)
			r.notice(false)
		}
		took := 20 * (used + time.Second)
		wantShare(t, greedy, 50, took, 0.8, 1.2, "used for %v", used)
		if want := int(took / (50 * time.Millisecond)); within != want {
			t.Errorf("used for %v: %d of %d requests within the rate were accepted", used, within, want)
		}
	}
}

// TestEvictionWithoutRedis: while Redis is away, full buckets are evicted as without a fleet.
func TestEvictionWithoutRedis(t *testing.T) {
	r := newReplicas(t, 1, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 10, Burst: 20}, Buckets: 10})
	r.notice(true)
	for i := range 10 {
		r.list[0].send(as(fmt.Sprint("former", i)), 1)
	}
	r.clock.advance(time.Hour)
	for i := range 10 {
		if wait := r.list[0].send(as(fmt.Sprint("new", i)), 20); wait != 0 {
			t.Errorf("the new caller %d waits %v", i, wait)
		}
	}
}

// TestBurstsOfFleet: each replica accepts one burst before it knows of the others. These are repaid.
func TestBurstsOfFleet(t *testing.T) {
	r := newReplicas(t, 3, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 10, Burst: 100}})
	accepted := 0
	burst := func() {
		for _, replica := range r.list {
			for replica.send(as("a"), 1) == 0 {
				accepted++
			}
		}
		r.settle()
		r.settle() // the first replicas learn what the last one took when they take again
	}
	burst()
	if accepted != 300 {
		t.Errorf("%d accepted at once, want 100 of each replica", accepted)
	}
	for range 100 {
		r.clock.advance(10 * time.Second)
		burst()
	}
	if average := float64(accepted-300) / 1000; average > 10.1 {
		t.Errorf("%.2f in a second in the long run, want 10", average)
	}
}

// TestCostAboveTheBurstOfFleet: what an operation owes at one replica, it owes at the others.
func TestCostAboveTheBurstOfFleet(t *testing.T) {
	r := newReplicas(t, 3, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 20, Burst: 20}})
	accepted := 0
	for range 60 {
		for _, one := range r.list {
			if one.send(as("a"), limits.MaxIDs) == 0 {
				accepted += limits.MaxIDs
			}
		}
		r.settle()
		r.clock.advance(time.Second)
	}
	if most := 3*limits.MaxIDs + 60*20; accepted > most || accepted < 1000 {
		t.Errorf("%d accepted in a minute, want at most %d", accepted, most)
	}
}

// TestChargesOfFleet: a charge names the bucket by a hash of its caller, and is returned once.
func TestChargesOfFleet(t *testing.T) {
	r := newReplicas(t, 1, limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 2, Burst: 10}, Buckets: 3}).list[0]
	for i := range 5 { // the last two share the additional bucket, which is this replica's own
		r.send(as(fmt.Sprint("caller ", i)), 4)
	}
	first, rest := r.Unsettled(2), r.Unsettled(2)
	if len(first) != 2 || len(rest) != 1 || len(r.Unsettled(2)) != 0 {
		t.Fatalf("%d and %d charges", len(first), len(rest))
	}
	c := first[0]
	if len(c.Key) != 23 || c.Units != 4 || c.Used != 2*time.Second || c.Known != 0 || c.Most != limits.DefaultMaxCost/2*time.Second {
		t.Errorf("%+v", c)
	}
	r.send(as("caller 0"), 2)
	r.Divide(2)
	r.send(as("caller 0"), 3)
	r.clock.advance(time.Second)
	if charges := r.Unsettled(2); len(charges) != 0 {
		t.Errorf("%+v is settled while Redis is away", charges)
	}
	r.Unite()
	charges := r.Unsettled(2)
	if len(charges) != 1 || charges[0].Units != 4 || charges[0].Age != 0 || charges[0].Known != 2*time.Second {
		t.Errorf("%+v, want the 2 that were not settled and 2 of the outage, with 4 that were missing before", charges)
	}
}
