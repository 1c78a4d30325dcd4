package live

import (
	"slices"
	"time"
)

// record is one subject, as seen by all tokens. Its watches are polled in turn: a change that one sees makes the others read.
type record struct {
	key       watchKey  // without a token, except for lists, and for a watch that has not been read yet
	watches   []*watch  // in the order of their next polls
	timer     timer     // at the next poll or retry
	nextPoll  time.Time // from then on, a watch whose answers do not fail reads
	nextRetry time.Time // from then on, watches that fail read; the zero time if none does
	began     time.Time // of the newest stream
	changed   time.Time
	updated   time.Time // the latest updatedAt that a watch has read
	nudged    time.Time
	status    string
	polls     demand
	retries   demand
}

// propagateLocked queues a read of every other watch whose token was able to read the record. It passes no data on.
func (r *record) propagateLocked(by *watch) {
	for _, w := range r.watches {
		if w != by && w.wasReadLocked() {
			w.propagated = true
			w.enqueueLocked()
		}
	}
}

// nextLocked returns the time of the timer.
func (r *record) nextLocked() time.Time {
	if r.nextRetry.IsZero() || r.nextPoll.Before(r.nextRetry) {
		return r.nextPoll
	}
	return r.nextRetry
}

// ahead returns the time until a read that is due at a time. The wheel begins one that is due by now at its next tick.
func ahead(now, at time.Time) time.Duration { return max(wheelTick, at.Sub(now)) }

// scheduleLocked sets the times of the next poll and the next retry, and the timer.
func (r *record) scheduleLocked(e *Engine, now time.Time) {
	poll, retry := r.intervalsLocked(e, now)
	r.nextPoll = e.wheel.coalesce(now, now.Add(poll))
	r.setRetryLocked(e, now, retry)
	e.setTimerLocked(&r.timer, r.nextLocked())
}

// setRetryLocked sets the time of the next retry, or none if the interval is 0.
func (r *record) setRetryLocked(e *Engine, now time.Time, interval time.Duration) {
	if r.nextRetry = (time.Time{}); interval > 0 {
		r.nextRetry = e.wheel.coalesce(now, now.Add(interval))
	}
}

// rescheduleLocked is scheduleLocked after a read. A poll that is due at once stays: a nudge may have set it since the read began.
func (r *record) rescheduleLocked(e *Engine, now time.Time) {
	if r.nextPoll.Sub(now) > nudgeEvery {
		r.scheduleLocked(e, now)
	}
}

// scheduleEarlierLocked moves the next poll and the next retry forward if they would now be earlier.
func (r *record) scheduleEarlierLocked(e *Engine, now time.Time) {
	poll, retry := r.intervalsLocked(e, now)
	if at := now.Add(poll); r.nextPoll.IsZero() || at.Before(r.nextPoll) {
		r.nextPoll = at
	}
	if retry > 0 {
		r.retryByLocked(now.Add(retry))
	}
	e.setTimerLocked(&r.timer, r.nextLocked())
}

// readByLocked moves the next poll, and the next retry if there is one, forward to a time.
func (r *record) readByLocked(e *Engine, at time.Time) {
	if at.Before(r.nextPoll) {
		r.nextPoll = at
	}
	if at.Before(r.nextRetry) {
		r.nextRetry = at
	}
	e.setTimerLocked(&r.timer, r.nextLocked())
}

// retryByLocked sets the next retry, or moves it forward. The timer stays.
func (r *record) retryByLocked(at time.Time) {
	if r.nextRetry.IsZero() || at.Before(r.nextRetry) {
		r.nextRetry = at
	}
}

// intervalsLocked returns the time until the next poll, and the time until the next retry, which is 0 if no answer fails.
func (r *record) intervalsLocked(e *Engine, now time.Time) (poll, retry time.Duration) {
	quiet := min(now.Sub(r.changed), now.Sub(r.began))
	multiple := factor(r.watches[0].subject, r.status, quiet)
	early := min(multiple, failingFactor)
	r.setDemandLocked(e, 1/(multiple*e.config.Interval.Seconds()), 1/(early*e.config.Interval.Seconds()))
	jittered := float64(e.config.Interval) * (0.9 + 0.2*e.config.Random())
	poll = time.Duration(multiple * e.slowdownLocked(r.polls.caller, now) * jittered)
	if r.retries.caller != nil {
		retry = time.Duration(early * e.slowdownLocked(r.retries.caller, now) * jittered)
	}
	return poll, retry
}

// fireLocked queues reads that are due. At a poll, it is one watch whose answers do not fail. At a retry, it is one whose last read failed,
// and one whose answer failed. If all of them are paused, it fires again at the end of the first pause.
func (r *record) fireLocked(e *Engine, now time.Time) {
	for _, w := range r.watches {
		if err := w.pausedLocked(now); err != nil && w.err == nil { // because of its token
			w.setErrorLocked(now, err)
		}
	}
	poll, retry := r.intervalsLocked(e, now)
	reads := false
	if !now.Before(r.nextPoll) {
		r.nextPoll = e.wheel.coalesce(now, now.Add(poll))
		reads = r.readNextLocked(now, func(w *watch) bool { return w.canReadLocked() && !w.failingLocked() })
	}
	if !now.Before(r.nextRetry) {
		r.setRetryLocked(e, now, retry)
		reads = r.readNextLocked(now, (*watch).isUnansweredLocked) || reads
		reads = r.readNextLocked(now, (*watch).hasFailedLocked) || reads
	}
	if !reads {
		for _, w := range r.watches {
			if now.Before(w.pause) {
				r.retryByLocked(w.pause)
			}
		}
	}
	e.setTimerLocked(&r.timer, r.nextLocked())
	for _, w := range r.watches {
		w.notifyStaleLocked(now)
	}
}

// readNextLocked queues the read of the next watch of those in a state. One whose last read has not ended, because its reads are slow
// or wait for others of its caller, takes the place of no other one. It reports whether there is one that need not wait.
func (r *record) readNextLocked(now time.Time, state func(*watch) bool) bool {
	may := func(w *watch) bool { return state(w) && !now.Before(w.pause) }
	next := slices.IndexFunc(r.watches, func(w *watch) bool { return may(w) && !w.queued && !w.reading })
	if next < 0 {
		next = slices.IndexFunc(r.watches, may)
	}
	if next < 0 {
		return false
	}
	w := r.watches[next]
	r.watches = append(slices.Delete(r.watches, next, next+1), w)
	w.enqueueLocked()
	return true
}

// readExtraLocked is readNextLocked between polls and retries, because a watch failed or recovered, as far as the budget allows.
func (r *record) readExtraLocked(e *Engine, now time.Time, state func(*watch) bool) {
	if !now.Before(e.nextExtra) && r.readNextLocked(now, state) {
		e.countExtraLocked(now)
	}
}

// addWatchLocked adds a watch to a record, which is new if it is the first one.
func (e *Engine) addWatchLocked(w *watch, key watchKey, now time.Time) {
	r := e.records[key]
	if r == nil {
		r = &record{key: key, changed: now}
		r.timer.fire = func(now time.Time) { r.fireLocked(e, now) }
		e.recordsMu.Lock()
		e.records[key] = r
		e.recordsMu.Unlock()
	}
	w.record = r
	r.watches = append(r.watches, w)
}

// shareRecordLocked moves a watch that was read to the record of all tokens. Until then it learns nothing of their watches, not even
// from the times of reads, and has no influence on them.
func (e *Engine) shareRecordLocked(w *watch, now time.Time) {
	if w.subject.IsList() {
		return
	}
	began := w.record.began
	e.removeWatchLocked(w)
	e.addWatchLocked(w, watchKey{"", w.key.route, w.key.target}, now)
	if began.After(w.record.began) {
		w.record.began = began
	}
}

// removeWatchLocked removes a watch from its record, and the record if it was the last one.
func (e *Engine) removeWatchLocked(w *watch) {
	r := w.record
	r.watches = slices.DeleteFunc(r.watches, func(other *watch) bool { return other == w })
	if len(r.watches) == 0 {
		e.wheel.cancel(&r.timer)
		r.clearDemandLocked(e)
		e.recordsMu.Lock()
		delete(e.records, r.key)
		e.recordsMu.Unlock()
	}
}
