package live

import (
	"slices"
	"time"
)

// caller is the streams of one caller. It exists as long as there are any.
type caller struct {
	streams int
	demand  float64 // reads per second that its records would have without Config.Polls
}

// shareEvery is the time after which the share is computed again, while the budget is short.
const shareEvery = time.Second

// extrasOf is the part of Config.Polls for extra reads if the budget is short, and extrasWithin the time whose extra reads may happen
// at once, since all tokens of a record fail and recover together when its API does.
const (
	extrasOf     = 1. / 20
	extrasWithin = time.Minute
)

// demand is the reads that a record would have without Config.Polls, as far as they count for one caller, and so for the engine.
type demand struct {
	caller *caller
	rate   float64 // reads per second
}

// setLocked replaces a demand.
func (d *demand) setLocked(e *Engine, by *caller, demand float64) {
	d.clearLocked(e)
	d.caller, d.rate = by, demand
	by.demand += demand
	e.demand += demand
}

// clearLocked removes a demand.
func (d *demand) clearLocked(e *Engine) {
	if d.caller != nil {
		d.caller.demand -= d.rate
		e.demand -= d.rate
		*d = demand{}
	}
}

// setDemandLocked counts polls and retries, each for the caller of its watches with the smallest demand, whose interval is the
// shortest. A watch that was not read yet has none: Engine.Join queued its read.
func (r *record) setDemandLocked(e *Engine, polls, retries float64) {
	r.clearDemandLocked(e)
	smaller := func(other, by *caller) *caller {
		if other == nil || by.demand < other.demand {
			return by
		}
		return other
	}
	var healthy, failing *caller
	var failed, unanswered float64 // 1 if there is one
	for _, w := range r.watches {
		switch {
		case w.hasFailedLocked():
			failing, failed = smaller(failing, w.caller), 1
		case w.isUnansweredLocked():
			failing, unanswered = smaller(failing, w.caller), 1
		case w.wasReadLocked():
			healthy = smaller(healthy, w.caller)
		}
	}
	if healthy == nil {
		healthy, polls = r.watches[0].caller, 0
	}
	r.polls.setLocked(e, healthy, polls)
	if failing != nil {
		r.retries.setLocked(e, failing, (failed+unanswered)*retries)
	}
}

// clearDemandLocked removes the demand of a record.
func (r *record) clearDemandLocked(e *Engine) {
	r.polls.clearLocked(e)
	r.retries.clearLocked(e)
}

// slowdownLocked returns the factor by which the intervals of a caller are longer because all callers together demand more reads than
// Config.Polls allows. The budget is shared by max-min fairness: a caller that demands less than its share is read as it demands,
// and all others get the same number of reads.
func (e *Engine) slowdownLocked(by *caller, now time.Time) float64 {
	polls := float64(e.config.Polls)
	if e.demand <= polls {
		return 1
	}
	if grown := e.demand > 1.1*e.sharedOf; grown || now.Sub(e.sharedAt) >= shareEvery {
		e.sharedAt, e.sharedOf = now, e.demand
		e.shareOfOne = shareOf(polls, e.callers)
	}
	return max(1, by.demand/e.shareOfOne)
}

// countExtraLocked counts a read between polls and retries, and sets the time of the next one. Such reads may use what polls and
// retries leave of the budget, so tokens that fail and recover all the time do not exceed it.
func (e *Engine) countExtraLocked(now time.Time) {
	if earliest := now.Add(-extrasWithin); e.nextExtra.Before(earliest) {
		e.nextExtra = earliest
	}
	polls := float64(e.config.Polls)
	perSecond := max(extrasOf*polls, polls-e.demand)
	e.nextExtra = e.nextExtra.Add(time.Duration(float64(time.Second) / perSecond))
}

// shareOf returns the largest number of reads that one caller gets.
func shareOf(polls float64, callers map[string]*caller) float64 {
	demands := make([]float64, 0, len(callers))
	for _, c := range callers {
		demands = append(demands, c.demand)
	}
	slices.Sort(demands)
	for i, demand := range demands {
		share := polls / float64(len(demands)-i)
		if demand >= share {
			return share
		}
		polls -= demand
	}
	return polls + demands[len(demands)-1] // the budget is not short
}
