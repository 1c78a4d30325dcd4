package client

import (
	"maps"
	"slices"
	"time"

	"pixgraph/upstream"
)

const (
	// outcomeBuckets is the number of buckets of a window. A call leaves the window together with its bucket, so up to
	// a tenth of the window early.
	outcomeBuckets = 10
	// maxOutcomes and maxOwnOutcomes are the numbers of outcomes of a service and of one caller of which callers and
	// targets are known, the newest ones.
	maxOutcomes, maxOwnOutcomes = 400, 80
	// maxWorking is the number of targets that are known to work.
	maxWorking = 8
	// meanwhile is the time for which a target that works says that the service does. It is shorter than the time
	// after which half of the calls of a window have failed, so that it delays no outage.
	meanwhile = 3 * time.Second
)

// outcomes are those of the calls of a closed breaker in its window. The zero value has none.
type outcomes struct {
	buckets [outcomeBuckets]bucket
	newest  []outcome // a ring
	next    int       // in newest
	working []working // the last one worked last
}

// bucket counts calls.
type bucket struct {
	index                        int64 // from the time at which the breaker was closed
	calls, failures, unconnected int   // unconnected are the failures without a connection
}

// outcome is what came of one call.
type outcome struct {
	caller, target uint64
	index          int32 // of its bucket
	failed         bool
}

// working is a target that works.
type working struct {
	target uint64
	last   time.Time // success, of whatever caller
}

// add adds the result of a call, and reports whether the breaker must open.
func (o *outcomes) add(b *breaker, from origin, r result) (opens bool) {
	now := time.Now()
	failed := r.health == upstream.HealthBad
	o.note(from.target, now, !failed)
	if from.background {
		return false
	}
	index := int64(now.Sub(b.since) / max(b.config.Window/outcomeBuckets, 1))
	current := &o.buckets[index%outcomeBuckets]
	if current.index != index {
		*current = bucket{index: index}
	}
	current.calls++
	o.keep(outcome{from.caller, from.target, int32(index), failed}, b.ofService)
	if !failed {
		return false
	}
	current.failures++
	if r.unconnected {
		current.unconnected++
	}
	return o.fail(b, index, now)
}

// keep keeps the newest outcomes.
func (o *outcomes) keep(one outcome, ofService bool) {
	room := maxOwnOutcomes
	if ofService {
		room = maxOutcomes
	}
	if len(o.newest) < room {
		o.newest = append(o.newest, one)
		return
	}
	o.newest[o.next] = one
	o.next = (o.next + 1) % room
}

// note notes whether a target works. One that fails no longer does, however lately it did.
func (o *outcomes) note(target uint64, now time.Time, works bool) {
	o.working = slices.DeleteFunc(o.working, func(w working) bool { return w.target == target })
	if !works {
		return
	}
	if len(o.working) == maxWorking {
		o.working = slices.Delete(o.working, 0, 1)
	}
	o.working = append(o.working, working{target, now})
}

// fail reports whether the calls up to a bucket say that the service fails: enough of them failed, and either as many
// without a connection, or those of several callers for several targets, while no other target works.
func (o *outcomes) fail(b *breaker, index int64, now time.Time) bool {
	var all bucket
	for _, part := range o.buckets {
		if part.index > index-outcomeBuckets {
			all.calls += part.calls
			all.failures += part.failures
			all.unconnected += part.unconnected
		}
	}
	tooMany := func(failures, calls int) bool { return failures*100 >= calls*b.config.Percent }
	if all.calls < b.config.Calls || !tooMany(all.failures, all.calls) {
		return false
	}
	if tooMany(all.unconnected, all.calls) {
		return true
	}
	if n := len(o.working); n > 0 && now.Sub(o.working[n-1].last) < meanwhile {
		return false
	}
	// several reports whether enough calls fail without those of the worst parts, which are callers or targets.
	several := func(worst int, part func(outcome) uint64) bool {
		parts, rest := map[uint64]*bucket{}, bucket{}
		for _, one := range o.newest {
			if int64(one.index) <= index-outcomeBuckets {
				continue
			}
			of := parts[part(one)]
			if of == nil {
				of = &bucket{}
				parts[part(one)] = of
			}
			of.calls++
			if one.failed {
				of.failures++
			}
		}
		worstFirst := slices.SortedFunc(maps.Values(parts), func(a, b *bucket) int { return b.failures - a.failures })
		for _, of := range worstFirst[min(worst, len(worstFirst)):] {
			rest.calls += of.calls
			rest.failures += of.failures
		}
		return rest.failures >= max(b.config.Calls/4, 1) && tooMany(rest.failures, rest.calls)
	}
	return (!b.ofService || several(1, func(one outcome) uint64 { return one.caller })) &&
		several(2, func(one outcome) uint64 { return one.target })
}
