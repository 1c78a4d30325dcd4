package live

import (
	"slices"
	"time"
)

// record is one subject, as seen by all tokens. It schedules the reads of its watches, which are polled in turn: a
// change that one sees makes the others read.
type record struct {
	engine    *Engine
	key       watchKey  // without a token, except for lists, and for a watch that has not been read yet
	watches   []*watch  // in the order of their next polls
	timer     timer     // at the next poll or retry
	nextPoll  time.Time // from then on, a watch whose answers do not fail reads
	nextRetry time.Time // from then on, watches that fail read; the zero time if none does
	active    time.Time // when the newest stream began, or the record changed
	updated   time.Time // the latest updatedAt that a watch has read
	nudged    time.Time
	hinted    bool // whether the next read has a cause that the other replicas know
	status    string
	polls     demand
	retries   demand
}

// news is what a reading of a watch means for its record.
type news struct {
	first       bool // the watch had no reading before
	significant bool // see updateProgressLocked
	recovered   bool // the last read of the watch failed
}

// updateLocked updates a record with a reading of one of its watches.
func (r *record) updateLocked(w *watch, reading *Reading, is news, now time.Time) {
	newer, known, hinted := reading.Updated.After(r.updated), !r.updated.IsZero(), r.hinted
	r.hinted = false
	if newer {
		is.significant = is.significant || is.first
		r.updated = reading.Updated
	}
	r.status = reading.Status
	if is.significant && !is.first { // else the record is not read more often because of it
		r.active = now
	}
	switch soon := r.nextPoll.Sub(now) <= nudgeEvery; {
	case is.first: // the polls of others are not delayed
		r.scheduleEarlierLocked(now)
	case soon: // a nudge may have set it since the read began
	case is.significant, is.recovered:
		r.scheduleLocked(now)
	}
	if is.significant && (newer || !w.propagated) { // newer: another change than the one that was propagated
		r.propagateLocked(w)
		if !hinted && (known || !is.first) {
			r.hintLocked()
		}
	}
	if is.recovered { // the next one probably can be read again too
		r.retryNowLocked()
		r.readExtraLocked(now, (*watch).hasFailedLocked)
	}
}

// retryNowLocked lets retries not wait for the end of their backoff, which stays as long.
func (r *record) retryNowLocked() {
	for _, w := range r.watches {
		w.retry = time.Time{}
	}
}

// propagateLocked queues a read of every other watch whose token was able to read the record. It passes no data on.
func (r *record) propagateLocked(by *watch) {
	for _, w := range r.watches {
		if w != by && w.wasReadLocked() {
			w.propagated = true
			w.enqueueLocked(true)
		}
	}
}

// addWatchLocked adds a watch to a record, which is new if it is the first one.
func (e *Engine) addWatchLocked(w *watch, key watchKey, now time.Time) {
	r := e.records[key]
	if r == nil {
		r = &record{engine: e, key: key, active: now}
		r.timer.fire = r.fireLocked
		e.recordsMu.Lock()
		e.records[key] = r
		e.recordsMu.Unlock()
		e.indexHintLocked(key, true)
	}
	w.record = r
	r.watches = append(r.watches, w)
}

// shareRecordLocked moves a watch that was read to the record of all tokens. Until then it learns nothing of their
// watches, not even from the times of reads, and has no influence on them.
func (e *Engine) shareRecordLocked(w *watch, now time.Time) {
	if w.subject.isList() {
		return
	}
	active := w.record.active
	e.removeWatchLocked(w)
	e.addWatchLocked(w, watchKey{"", w.key.route, w.key.target}, now)
	if active.After(w.record.active) {
		w.record.active = active
	}
}

// removeWatchLocked removes a watch from its record, and the record if it was the last one.
func (e *Engine) removeWatchLocked(w *watch) {
	r := w.record
	r.watches = slices.DeleteFunc(r.watches, func(other *watch) bool { return other == w })
	if len(r.watches) == 0 {
		e.wheel.cancel(&r.timer)
		r.clearDemandLocked()
		e.recordsMu.Lock()
		delete(e.records, r.key)
		e.recordsMu.Unlock()
		e.indexHintLocked(r.key, false)
	}
}
