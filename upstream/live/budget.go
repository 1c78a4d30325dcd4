package live

import (
	"slices"
	"time"
)

// caller is the streams of one caller. It exists as long as there are any.
type caller struct {
	streams int
	demand  float64 // reads per second that its records would have without Config.Polls
	turns   float64 // the part of demand that there would be if no answer failed
}

// shareEvery is the time after which the share is computed again, while the budget is short.
const shareEvery = time.Second

// setDemand adds the demand of a record to that of one of its callers: the one that demands least, whose interval is the shortest.
func (r *record) setDemand(e *Engine, turns, demand float64) {
	r.clearDemand(e)
	r.caller, r.turns, r.demand = r.watches[0].caller, turns, demand
	for _, w := range r.watches {
		if w.caller.demand < r.caller.demand {
			r.caller = w.caller
		}
	}
	r.caller.turns += turns
	r.caller.demand += demand
	e.demand += demand
}

// clearDemand removes the demand of a record.
func (r *record) clearDemand(e *Engine) {
	if r.caller != nil {
		r.caller.turns -= r.turns
		r.caller.demand -= r.demand
		e.demand -= r.demand
		r.caller, r.turns, r.demand = nil, 0, 0
	}
}

// stretch returns the factors by which the intervals of a caller are longer because all callers together demand more reads than
// Config.Polls allows. The budget is shared by max-min fairness: a caller that demands less than its share is read as it demands,
// and all others get the same number of reads. The turns of a caller are not rarer because of its retries.
func (e *Engine) stretch(by *caller, now time.Time) (turn, retry float64) {
	polls := float64(e.config.Polls)
	if e.demand <= polls {
		return 1, 1
	}
	if grown := e.demand > 1.1*e.sharedOf; grown || now.Sub(e.sharedAt) >= shareEvery {
		e.sharedAt, e.sharedOf = now, e.demand
		e.shareOfOne = shareOf(polls, e.callers)
	}
	return max(1, by.turns/e.shareOfOne), max(1, by.demand/e.shareOfOne)
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
