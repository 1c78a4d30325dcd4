package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/limits"
)

// Times of internal/fleet, in seconds.
const (
	settleEvery  = 0.05
	settleWithin = 0.1
)

// rateCase is a caller who sends load times its rate to replicas at random; with 0, it takes all that any replica
// admits. Redis may fail in the middle, and lose its data.
type rateCase struct {
	rate, burst, load float64
	replicas          int
	latency           float64
	outage, lost      bool
}

// rateFleet is the bucket of the caller in Redis, and the limits of each replica, which are those of gateways.
type rateFleet struct {
	*timeline
	rateCase
	all      []*rateReplica
	full     float64   // when the bucket in Redis is full
	down     bool      // Redis
	returns  float64   // its return
	admitted []float64 // times
	settled  int       // settlements
}

// rateReplica is one replica. It models internal/fleet.
type rateReplica struct {
	*rateFleet
	*limits.Limits
	base           float64 // a time of its settlements, which are settleEvery apart
	settling, away bool
}

func newRateFleet(c rateCase, seed uint64) *rateFleet {
	f := &rateFleet{timeline: newTimeline(seed), rateCase: c}
	for range c.replicas {
		l, err := limits.New(limits.Config{
			Known: func(context.Context, string) bool { return true },
			Rate: limits.RateConfig{
				PerIdentity: limits.Rate{PerSecond: c.rate, Burst: int(c.burst)}, Identity: func(context.Context) string { return "caller" },
				SharedIdentities: true, Now: f.time,
			},
		})
		if err != nil {
			panic(err) // a mistake in the cases
		}
		l.Unite()
		f.all = append(f.all, &rateReplica{rateFleet: f, Limits: l, base: -settleEvery * f.Float64()})
	}
	if c.load > 0 {
		f.repeat(c.rate*c.load, func() { _ = f.all[f.IntN(c.replicas)].take() })
	} else {
		f.at(0, f.takeAll)
	}
	return f
}

// time returns the virtual time.
func (f *rateFleet) time() time.Time { return time.Unix(0, 0).Add(seconds(f.now)) }

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// take sends an operation that costs one token. It returns the time to wait, 0 if the replica admits it.
func (r *rateReplica) take() (wait time.Duration) {
	var refused *apierror.Error
	if errors.As(r.MutateOperationParameters(context.Background(), &graphql.RawParams{Query: "{a}"}), &refused) {
		return refused.RetryAfter
	}
	r.admitted = append(r.admitted, r.now)
	if !r.settling && !r.away {
		r.settling = true
		r.at(r.base+math.Ceil((r.now-r.base)/settleEvery)*settleEvery, r.settle)
	}
	return 0
}

// takeAll takes all that the replicas admit, now and whenever one admits more.
func (f *rateFleet) takeAll() {
	next := time.Hour
	for _, r := range f.all {
		wait := r.take()
		for wait == 0 {
			wait = r.take()
		}
		next = min(next, wait)
	}
	f.at(f.now+max(next, time.Millisecond).Seconds(), f.takeAll)
}

// settle settles what was taken.
func (r *rateReplica) settle() {
	r.settling = false
	charges := r.Unsettled(1)
	if len(charges) == 0 || r.away {
		return
	}
	r.settling = true
	c := &charges[0]
	longest := (r.burst/r.rate+2*settleWithin)*float64(r.replicas+1) + 1
	oneWay := func() float64 { return 0.0002 + (r.latency-0.0002)*r.Float64() }
	failAt, back := r.now+settleWithin, oneWay()
	r.at(r.now+oneWay(), func() {
		if !r.down { // as settle.lua
			if r.full > r.now+longest {
				r.full = 0
			}
			r.full = max(r.full, r.now+c.Known.Seconds()-settleWithin, r.now-c.Age.Seconds()-settleWithin) + c.Used.Seconds()
			r.settled++
		}
		if r.down || r.now+back > failAt {
			r.at(max(r.now, failAt), func() {
				r.leave()
				r.Settled(charges, r.replicas)
			})
			return
		}
		c.Settled, c.Debt = true, seconds(r.full-r.now)
		r.at(r.now+back, func() {
			r.Settled(charges, r.replicas)
			r.base = r.now
			r.at(r.now+settleEvery, r.settle)
			for r.load == 0 && r.take() == 0 {
			}
		})
	})
}

// leave makes the replica limit the caller by itself, until a probe that begins in the next second succeeds.
func (r *rateReplica) leave() {
	if r.away {
		return
	}
	r.away, r.settling = true, false
	r.Divide(r.replicas)
	r.at(max(r.now, r.returns)+r.Float64(), func() {
		r.away = false
		r.Unite()
		r.settle()
	})
}

// fail stops Redis for 10 s. A replica that settles nothing notices that by its next probe.
func (f *rateFleet) fail() {
	f.down, f.returns = true, f.now+10
	if f.lost {
		f.full = 0
	}
	for _, r := range f.all {
		f.at(f.now+f.Float64()+settleWithin, r.leave)
	}
	f.at(f.returns, func() { f.down = false })
}

// share returns what was admitted from one time to another, in per cent of the rate.
func (f *rateFleet) share(from, to float64) float64 {
	n := sort.SearchFloat64s(f.admitted, to) - sort.SearchFloat64s(f.admitted, from)
	return 100 * float64(n) / (f.rate * (to - from))
}

// measure simulates a case, and returns the share of 60 s after the first bursts, that of the worst second, and the
// settlements a second. A caller that takes all is measured for 10 minutes, after it has repaid the first bursts. An
// outage is measured to 5 s after its end, and its worst is that of the first 3.5 s or more.
func (c rateCase) measure(seed uint64) (average, worst, settlements float64) {
	f := newRateFleet(c, seed)
	from, window := 2*c.burst/c.rate+5, 60.0
	if c.load == 0 {
		from, window = from+float64(c.replicas)*((c.burst+1)/c.rate+2*settleEvery), 600
	}
	if c.outage {
		from, window = from+25, 15
		f.at(from, f.fail)
	}
	f.runTo(from)
	before := f.settled
	f.runTo(from + window)
	for start := sort.SearchFloat64s(f.admitted, from); !c.outage && start < len(f.admitted) && f.admitted[start] < f.now-1; start++ {
		worst = max(worst, f.share(f.admitted[start], f.admitted[start]+1))
	}
	for to := from + 3.5; c.outage && to <= f.now; to += 0.1 {
		worst = max(worst, f.share(from, to))
	}
	return f.share(from, f.now), worst, float64(f.settled-before) / window
}

// rates returns a table of cases with some loads.
func (s *simulate) rates(outage bool, loads ...float64) string {
	names := []string{">rate", ">burst", ">load"}
	data := map[bool]string{false: ""}
	if outage {
		names, data = append(names, "data"), map[bool]string{false: "kept", true: "lost"}
	}
	var rows [][]string
	for _, rate := range []float64{5, 50, 500} {
		for _, burst := range []float64{200, max(1, rate)} {
			for _, load := range loads {
				for _, lost := range []bool{false, true}[:len(data)] {
					cells := []string{text(0, rate) + "/s", text(0, burst), text(0, load), data[lost]}[:len(names)]
					if load == 0 {
						cells[2] = "all"
					}
					rows = append(rows, bySize(cells, func(replicas int) string {
						return s.rate(rateCase{rate, burst, load, replicas, s.latency, outage, lost})
					}))
				}
			}
		}
	}
	return table(bySize(names, func(replicas int) string { return fmt.Sprintf(">%d replicas", replicas) }), rows)
}

// rate returns the averages of a case.
func (s *simulate) rate(c rateCase) string {
	var average, worst, settlements float64
	for seed := range s.seeds {
		a, w, n := c.measure(seed)
		average, worst, settlements = average+a/float64(s.seeds), worst+w/float64(s.seeds), settlements+n/float64(s.seeds)
	}
	if c.outage {
		return text(0, average, worst)
	}
	return text(1, average) + ", " + text(0, worst) + "; " + text(0, settlements)
}
