package main

import (
	"fmt"
	"math"
	"sort"
)

// Times of internal/fleet, in seconds.
const (
	settleEvery  = 0.05
	settleWithin = 0.1 // also the slack
)

// rateCase is a caller who sends load times its rate to replicas at random; with 0, it takes all that any replica
// admits. Redis may fail in the middle, and lose its data.
type rateCase struct {
	rate, burst, load float64
	replicas          int
	latency           float64
	outage, lost      bool
}

// rateFleet is the bucket of the caller in a fleet.
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

// rateReplica is the bucket of the caller at one replica.
type rateReplica struct {
	*rateFleet
	debt, since, perSecond float64
	unsettled              float64
	base                   float64 // a time of its settlements, which are settleEvery apart
	settling, away         bool
	answered               float64 // when its last settlement was
}

func newRateFleet(c rateCase, seed uint64) *rateFleet {
	f := &rateFleet{timeline: newTimeline(seed), rateCase: c}
	for range c.replicas {
		r := &rateReplica{rateFleet: f, perSecond: c.rate, base: -settleEvery * f.Float64()}
		f.all = append(f.all, r)
	}
	if c.load > 0 {
		f.repeat(c.rate*c.load, func() { f.all[f.IntN(c.replicas)].take() })
	} else {
		f.at(0, f.takeAll)
	}
	return f
}

// missing returns the debt now.
func (r *rateReplica) missing() float64 {
	r.debt, r.since = max(0, r.debt-(r.now-r.since)*r.perSecond), r.now
	return r.debt
}

// take sends an operation that costs one unit, and reports whether the replica admits it.
func (r *rateReplica) take() bool {
	if r.missing()+1 > r.burst+1e-6 {
		return false
	}
	r.admitted = append(r.admitted, r.now)
	r.debt++
	r.unsettled++
	if !r.settling && !r.away {
		r.settling = true
		r.at(r.base+math.Ceil((r.now-r.base)/settleEvery)*settleEvery, r.settle)
	}
	return true
}

// takeAll takes all that the replicas admit, now and whenever one admits more.
func (f *rateFleet) takeAll() {
	next := math.Inf(1)
	for _, r := range f.all {
		for r.take() {
		}
		next = min(next, (r.debt+1-r.burst)/r.perSecond)
	}
	f.at(f.now+max(next, 0.001), f.takeAll)
}

// settle settles what was taken.
func (r *rateReplica) settle() {
	if r.settling = !r.away && r.unsettled > 0; !r.settling {
		return
	}
	cost, known := r.unsettled/r.rate, (r.missing()-r.unsettled)/r.rate-settleWithin
	longest := (r.burst/r.rate+2*settleWithin)*float64(r.replicas+1) + 1 // a longer time is not of a gateway
	oneWay := func() float64 { return 0.0002 + (r.latency-0.0002)*r.Float64() }
	failAt, back := r.now+settleWithin, oneWay()
	r.unsettled = 0
	r.at(r.now+oneWay(), func() {
		if !r.down {
			if r.full > r.now+longest {
				r.full = 0
			}
			r.full = max(r.full, r.now, r.now+known) + cost
			r.settled++
		}
		if r.down || r.now+back > failAt {
			r.at(max(r.now, failAt), r.leave)
			return
		}
		debt := (r.full - r.now) * r.rate
		r.at(r.now+back, func() {
			r.debt, r.answered = max(r.missing()-settleWithin*r.rate, debt+r.unsettled), r.now
			r.base = r.now
			r.at(r.now+settleEvery, r.settle)
			for r.load == 0 && r.take() {
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
	r.divide(r.replicas)
	r.at(max(r.now, r.returns)+r.Float64(), func() {
		r.away = false
		r.divide(1)
	})
}

// unknownFor is that of limits.Divide.
const unknownFor = 1

// divide divides the rate by a number of replicas, and drops what is not settled. It assumes that the other replicas
// took their part since the last settlement, if the bucket is less than half full.
func (r *rateReplica) divide(replicas int) {
	own := r.rate / float64(replicas)
	if debt := r.missing(); debt > r.burst/2 {
		r.debt = min(debt+(r.rate-own)*min(r.now-r.answered, unknownFor), max(debt+own*unknownFor, r.burst))
	}
	r.perSecond, r.unsettled = own, 0
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
