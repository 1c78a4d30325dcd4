package live

import (
	"slices"
	"time"
)

// budget shares partOfPolls of Config.Polls among callers by max-min fairness: a caller that demands less than its
// share is read as it demands, and all others get the same number of reads.
type budget struct {
	polls     float64 // partOfPolls of Config.Polls
	demand    float64 // reads per second that the records would have without Config.Polls
	callers   map[string]*caller
	share     float64 // of polls, for the callers with the largest demand
	sharedAt  time.Time
	sharedOf  float64   // demand at that time
	nextExtra time.Time // the earliest read between polls and retries; see countExtra
}

// partOfPolls is the part of the reads for polls and retries. The rest is for urgent reads, and without them lets polls
// that wait for the pace become fewer.
const partOfPolls = 0.95

// caller is the streams of one caller. It exists as long as there are any.
type caller struct {
	streams int
	demand  float64 // its part of that of the budget
}

// demand is the reads of a record, as far as they count for one caller.
type demand struct {
	caller *caller
	rate   float64 // reads per second
}

// shareEvery is the time after which the share is computed again, while the budget is short.
const shareEvery = time.Second

// extrasOf is the part of the budget for extra reads if it is short, and extrasWithin the time whose extra reads may
// happen at once, since all tokens of a record fail and recover together when its API does.
const (
	extrasOf     = 1. / 20
	extrasWithin = time.Minute
)

// replace replaces a demand; its caller may be nil.
func (b *budget) replace(old *demand, by demand) {
	if old.caller != nil {
		old.caller.demand -= old.rate
		b.demand -= old.rate
	}
	if *old = by; by.caller != nil {
		by.caller.demand += by.rate
		b.demand += by.rate
	}
}

// slowdown returns the factor by which the intervals of a caller are longer because all callers exceed the budget.
func (b *budget) slowdown(by *caller, now time.Time) float64 {
	if b.demand <= b.polls {
		return 1
	}
	if grown := b.demand > 1.1*b.sharedOf; grown || now.Sub(b.sharedAt) >= shareEvery {
		b.sharedAt, b.sharedOf = now, b.demand
		b.share = b.largestShare()
	}
	return max(1, by.demand/b.share)
}

// largestShare returns the largest number of reads that one caller gets.
func (b *budget) largestShare() float64 {
	demands := make([]float64, 0, len(b.callers))
	for _, c := range b.callers {
		demands = append(demands, c.demand)
	}
	slices.Sort(demands)
	left := b.polls
	for i, demand := range demands {
		share := left / float64(len(demands)-i)
		if demand >= share {
			return share
		}
		left -= demand
	}
	return left + demands[len(demands)-1] // the budget is not short
}

// countExtra counts a read between polls and retries, and sets the time of the next one. Such reads may use what polls
// and retries leave of the budget, so tokens that fail and recover all the time do not exceed it.
func (b *budget) countExtra(now time.Time) {
	if earliest := now.Add(-extrasWithin); b.nextExtra.Before(earliest) {
		b.nextExtra = earliest
	}
	perSecond := max(extrasOf*b.polls, b.polls-b.demand)
	b.nextExtra = b.nextExtra.Add(time.Duration(float64(time.Second) / perSecond))
}

// setDemand counts polls and retries, each for the caller of its watches with the smallest demand, whose interval is
// the shortest. A watch that was not read yet has no demand: state.begin queued its read.
func (s *schedule) setDemand(polls, retries float64) {
	s.clearDemand()
	smaller := func(other, by *caller) *caller {
		if other == nil || by.demand < other.demand {
			return by
		}
		return other
	}
	var polled, failing *caller
	var fails, waits float64 // 1 if a watch does; less if the failed ones back off for longer
	for _, w := range s.watches {
		switch w.condition() {
		case failed:
			failing, fails = smaller(failing, w.caller), min(1, fails+1/max(1, w.backoff.Seconds()*retries))
		case unanswered:
			failing, waits = smaller(failing, w.caller), 1
		case healthy:
			polled = smaller(polled, w.caller)
		}
	}
	if polled == nil {
		polled, polls = s.watches[0].caller, 0
	}
	s.plan.budget.replace(&s.polls, demand{polled, polls})
	s.plan.budget.replace(&s.retries, demand{failing, (fails + waits) * retries})
}

// clearDemand removes the demand of a record.
func (s *schedule) clearDemand() {
	s.plan.budget.replace(&s.polls, demand{})
	s.plan.budget.replace(&s.retries, demand{})
}
