package client

import (
	"slices"
	"time"

	"pixgraph/upstream"
)

// windowBuckets is the number of buckets of a window. A call leaves the window together with its bucket, so up to a
// tenth of the window early.
const windowBuckets = 10

// A bucket counts the calls of callers or targets by groups. The first windowOwners have a group of their own. Others
// share the rest of the groups, and those of one group count as one.
const (
	windowGroups = 16
	windowOwners = 12
)

// window counts the calls in the last time of a closed breaker, in total and by its parts: the callers, the targets.
type window struct {
	by      []func(origin) uint64
	owners  [][windowOwners]owner // for each of by
	buckets [windowBuckets]bucket
}

// owner is the part that has a group of its own, until the bucket in which its last call leaves the window.
type owner struct {
	part  uint64
	until int64
}

// bucket counts the calls of a part of a window.
type bucket struct {
	index       int64 // of the part, counted from the time at which the breaker was closed
	all         tally
	unconnected int                   // failures without a connection
	groups      [][windowGroups]tally // for each of window.by
}

// tally is a number of calls.
type tally struct{ calls, failures int32 }

func (t *tally) add(other tally) {
	t.calls += other.calls
	t.failures += other.failures
}

// count adds a call to the window, and reports whether the breaker must open: enough calls failed, and either as many
// without a connection, or as many without those of any single caller and of any single target. The breaker is locked.
func (w *window) count(b *breaker, o origin, r result) (opens bool) {
	index := int64(time.Since(b.since) / max(b.config.Window/windowBuckets, 1))
	if w.owners == nil {
		w.owners = make([][windowOwners]owner, len(w.by))
	}
	current := &w.buckets[index%windowBuckets]
	if current.groups == nil || current.index != index {
		groups := current.groups
		if clear(groups); groups == nil {
			groups = make([][windowGroups]tally, len(w.by))
		}
		*current = bucket{index: index, groups: groups}
	}
	one := tally{calls: 1}
	if r.health == upstream.HealthBad {
		one.failures = 1
		if r.unconnected {
			current.unconnected++
		}
	}
	current.all.add(one)
	for i, part := range w.by {
		current.groups[i][w.group(i, part(o), index)].add(one)
	}
	return one.failures > 0 && w.fails(&b.config, index)
}

// group returns the group of a part in a bucket.
func (w *window) group(by int, part uint64, index int64) int {
	owners := w.owners[by][:]
	at := slices.IndexFunc(owners, func(o owner) bool { return o.part == part && o.until > index })
	if at < 0 {
		at = slices.IndexFunc(owners, func(o owner) bool { return o.until <= index })
	}
	if at < 0 {
		return sharedGroup(part)
	}
	owners[at] = owner{part, index + windowBuckets}
	return at
}

// sharedGroup returns the group of a part that lacks one of its own.
func sharedGroup(part uint64) int { return windowOwners + int(part%(windowGroups-windowOwners)) }

// fails reports whether the calls of the window up to a bucket say that the service fails.
func (w *window) fails(config *BreakerConfig, index int64) bool {
	var all tally
	unconnected, groups := 0, make([][windowGroups]tally, len(w.by))
	for i := range w.buckets {
		part := &w.buckets[i]
		if part.groups == nil || part.index <= index-windowBuckets {
			continue
		}
		all.add(part.all)
		unconnected += part.unconnected
		for i := range groups {
			for group, t := range part.groups[i] {
				groups[i][group].add(t)
			}
		}
	}
	tooMany := func(failures, calls int) bool { return failures*100 >= calls*config.Percent }
	if int(all.calls) < config.Calls || !tooMany(int(all.failures), int(all.calls)) {
		return false
	}
	if tooMany(unconnected, int(all.calls)) {
		return true
	}
	for i := range groups {
		var worst tally
		for group, t := range groups[i] {
			if group < windowOwners && w.owners[i][group].until > index { // it may have had calls without a group of its own
				t.add(groups[i][sharedGroup(w.owners[i][group].part)])
			}
			if t.failures > worst.failures {
				worst = t
			}
		}
		others := int(all.failures - worst.failures)
		if others < max(config.Calls/4, 1) || !tooMany(others, int(all.calls-worst.calls)) {
			return false
		}
	}
	return true
}
