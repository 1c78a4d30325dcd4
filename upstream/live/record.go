package live

import (
	"slices"
	"time"
)

// record is one subject, as seen by all tokens. Its watches take turns: a change that one sees makes the others read.
type record struct {
	key     watchKey  // without a token, except for lists, and for a watch that has not been read yet
	watches []*watch  // in the order of their turns
	alarm   alarm     // at the next turn or retry
	turn    time.Time // from then on, a watch whose answers do not fail reads
	retry   time.Time // from then on, watches that fail read; the zero time if none does
	began   time.Time // of the newest stream
	changed time.Time
	updated time.Time // the latest updatedAt that a watch has read
	nudged  time.Time
	status  string
	turns   charge
	retries charge
}

// hint queues a read of every other watch whose token was able to read the record. It passes no data on.
func (r *record) hint(by *watch) {
	for _, w := range r.watches {
		if w != by && w.wasRead() {
			w.hinted = true
			w.queue()
		}
	}
}

// next returns the time of the alarm.
func (r *record) next() time.Time {
	if r.retry.IsZero() || r.turn.Before(r.retry) {
		return r.turn
	}
	return r.retry
}

// ahead returns the time until a read that is due at a time. The wheel begins one that is due by now at its next tick.
func ahead(now, at time.Time) time.Duration { return max(wheelTick, at.Sub(now)) }

// schedule sets the times of the next turn and the next retry, and the alarm. The engine is locked.
func (r *record) schedule(e *Engine, now time.Time) {
	turn, retry := r.intervals(e, now)
	r.turn = e.wheel.together(now, now.Add(turn))
	r.setRetry(e, now, retry)
	e.set(&r.alarm, r.next())
}

// setRetry sets the time of the next retry, or none if the interval is 0.
func (r *record) setRetry(e *Engine, now time.Time, interval time.Duration) {
	if r.retry = (time.Time{}); interval > 0 {
		r.retry = e.wheel.together(now, now.Add(interval))
	}
}

// reschedule is schedule after a read. A turn that is due at once stays: a hint may have set it since the read began.
func (r *record) reschedule(e *Engine, now time.Time) {
	if r.turn.Sub(now) > nudgeEvery {
		r.schedule(e, now)
	}
}

// hasten moves the next turn and the next retry forward if they would now be earlier.
func (r *record) hasten(e *Engine, now time.Time) {
	turn, retry := r.intervals(e, now)
	if at := now.Add(turn); r.turn.IsZero() || at.Before(r.turn) {
		r.turn = at
	}
	if retry > 0 {
		r.retryAt(now.Add(retry))
	}
	e.set(&r.alarm, r.next())
}

// readAt moves the next turn, and the next retry if there is one, forward to a time.
func (r *record) readAt(e *Engine, at time.Time) {
	if at.Before(r.turn) {
		r.turn = at
	}
	if at.Before(r.retry) {
		r.retry = at
	}
	e.set(&r.alarm, r.next())
}

// retryAt sets the next retry, or moves it forward. The alarm stays.
func (r *record) retryAt(at time.Time) {
	if r.retry.IsZero() || at.Before(r.retry) {
		r.retry = at
	}
}

// intervals returns the time until the next turn, and the time until the next retry, which is 0 if no answer fails.
func (r *record) intervals(e *Engine, now time.Time) (turn, retry time.Duration) {
	quiet := min(now.Sub(r.changed), now.Sub(r.began))
	multiple := factor(r.watches[0].subject, r.status, quiet)
	early := min(multiple, failingFactor)
	r.setCharges(e, 1/(multiple*e.config.Interval.Seconds()), 1/(early*e.config.Interval.Seconds()))
	jittered := float64(e.config.Interval) * (0.9 + 0.2*e.config.Random())
	turn = time.Duration(multiple * e.stretch(r.turns.caller, now) * jittered)
	if r.retries.caller != nil {
		retry = time.Duration(early * e.stretch(r.retries.caller, now) * jittered)
	}
	return turn, retry
}

// ring queues reads that are due. At a turn, it is one watch whose answers do not fail. At a retry, it is one whose last read failed,
// and one whose answer failed. If all of them are paused, it rings again at the end of the first pause.
func (r *record) ring(e *Engine, now time.Time) {
	for _, w := range r.watches {
		if err := w.paused(now); err != nil && w.err == nil { // because of its token
			w.setError(now, err)
		}
	}
	turn, retry := r.intervals(e, now)
	reads := false
	if !now.Before(r.turn) {
		r.turn = e.wheel.together(now, now.Add(turn))
		reads = r.take(now, func(w *watch) bool { return w.canRead() && !w.failing() })
	}
	if !now.Before(r.retry) {
		r.setRetry(e, now, retry)
		reads = r.take(now, (*watch).isUnanswered) || reads
		reads = r.take(now, (*watch).hasFailed) || reads
	}
	if !reads {
		for _, w := range r.watches {
			if now.Before(w.pause) {
				r.retryAt(w.pause)
			}
		}
	}
	e.set(&r.alarm, r.next())
	for _, w := range r.watches {
		w.notifyStale(now)
	}
}

// take lets the next watch read of those in a state. One whose last turn has not ended, because its reads are slow or wait for
// others of its caller, takes no turn of another one. It reports whether there is one that need not wait.
func (r *record) take(now time.Time, state func(*watch) bool) bool {
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
	w.queue()
	return true
}

// takeMore is take between turns and retries, because a watch failed or recovered, as far as the budget allows.
func (r *record) takeMore(e *Engine, now time.Time, state func(*watch) bool) {
	if !now.Before(e.nextExtra) && r.take(now, state) {
		e.countExtra(now)
	}
}

// enter adds a watch to a record, which is new if it is the first one.
func (e *Engine) enter(w *watch, key watchKey, now time.Time) {
	r := e.records[key]
	if r == nil {
		r = &record{key: key, changed: now}
		r.alarm.ring = func(now time.Time) { r.ring(e, now) }
		e.recordsMu.Lock()
		e.records[key] = r
		e.recordsMu.Unlock()
	}
	w.record = r
	r.watches = append(r.watches, w)
}

// shareRecord moves a watch that was read to the record of all tokens. Until then it learns nothing of their watches, not even
// from the times of reads, and has no influence on them.
func (e *Engine) shareRecord(w *watch, now time.Time) {
	if w.subject.IsList() {
		return
	}
	began := w.record.began
	e.leave(w)
	e.enter(w, watchKey{"", w.key.route, w.key.target}, now)
	if began.After(w.record.began) {
		w.record.began = began
	}
}

// leave removes a watch from its record, and the record if it was the last one.
func (e *Engine) leave(w *watch) {
	r := w.record
	r.watches = slices.DeleteFunc(r.watches, func(other *watch) bool { return other == w })
	if len(r.watches) == 0 {
		e.wheel.cancel(&r.alarm)
		r.clearCharges(e)
		e.recordsMu.Lock()
		delete(e.records, r.key)
		e.recordsMu.Unlock()
	}
}
