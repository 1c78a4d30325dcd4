package live

import (
	"slices"
	"time"
)

// record is one subject, as seen by all tokens. Its watches take turns: a change that one sees makes the others read.
type record struct {
	key     watchKey // without a token, except for lists, and for a watch that has not been read yet
	watches []*watch // in the order of their turns
	alarm   alarm
	next    time.Time // of the alarm
	due     time.Time // from then on a watch that can read takes its turn; until then, the alarm is for those that fail
	began   time.Time // of the newest stream
	changed time.Time
	updated time.Time // the latest updatedAt that a watch has read
	nudged  time.Time
	status  string
	caller  *caller // that its demand counts for
	turns   float64 // reads per second if no answer failed, as part of those of its caller
	demand  float64 // reads per second, as part of that of its caller and of the engine
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

// schedule sets the time of the next turn, and the alarm. The engine is locked.
func (r *record) schedule(e *Engine, now time.Time) {
	turn, retry := r.intervals(e, now)
	r.due = e.wheel.together(now, now.Add(turn))
	at := r.due
	if retry < turn {
		at = e.wheel.together(now, now.Add(retry))
	}
	r.setAlarm(e, at)
}

// reschedule is schedule after a read. A turn that is due at once stays: a hint may have set it since the read began.
func (r *record) reschedule(e *Engine, now time.Time) {
	if r.due.Sub(now) > nudgeEvery {
		r.schedule(e, now)
	}
}

// hasten moves the next turn and the alarm forward if they would now be earlier.
func (r *record) hasten(e *Engine, now time.Time) {
	turn, retry := r.intervals(e, now)
	r.hastenTo(e, now.Add(turn))
	r.retryAt(e, now.Add(retry))
}

func (r *record) hastenTo(e *Engine, at time.Time) {
	if r.due.IsZero() || at.Before(r.due) {
		r.due = at
	}
	r.retryAt(e, at)
}

// retryAt moves the alarm forward, for the watches that fail.
func (r *record) retryAt(e *Engine, at time.Time) {
	if r.alarm.at == 0 || at.Before(r.next) {
		r.setAlarm(e, at)
	}
}

// setAlarm sets the alarm to a time, or to the next turn if that is earlier.
func (r *record) setAlarm(e *Engine, at time.Time) {
	if r.next = at; r.due.Before(at) {
		r.next = r.due
	}
	e.set(&r.alarm, r.next)
}

// intervals returns the times until the next turn, and until the next retry if an answer fails; else both are the same.
func (r *record) intervals(e *Engine, now time.Time) (turn, retry time.Duration) {
	quiet := min(now.Sub(r.changed), now.Sub(r.began))
	multiple := factor(r.watches[0].subject, r.status, quiet)
	early := multiple
	if slices.ContainsFunc(r.watches, (*watch).failing) {
		early = min(multiple, failingFactor)
	}
	if first := r.watches[0]; first.wasRead() || first.hasFailed() {
		interval := e.config.Interval.Seconds()
		r.setDemand(e, 1/(multiple*interval), 1/(early*interval))
	} else { // Engine.Join queued its read
		r.setDemand(e, 0, 0)
	}
	ofTurn, ofRetry := e.stretch(r.caller, now)
	jittered := float64(e.config.Interval) * (0.9 + 0.2*e.config.Random())
	return time.Duration(multiple * ofTurn * jittered), time.Duration(early * ofRetry * jittered)
}

// ring queues a read of a watch, one of another watch whose answer failed, and one of another watch whose last read failed, so that
// they do not take the turn of one that fails in neither way, nor it theirs. Before the next turn, only watches that fail read. If
// all are paused, it rings again at the end of the first pause.
func (r *record) ring(e *Engine, now time.Time) {
	for _, w := range r.watches {
		if err := w.paused(now); err != nil && w.err == nil { // because of its token
			w.setError(now, err)
		}
	}
	turn := !now.Before(r.due)
	if turn {
		r.schedule(e, now)
	} else {
		_, retry := r.intervals(e, now)
		r.setAlarm(e, e.wheel.together(now, now.Add(retry)))
	}
	reads := turn && r.take(now, func(w *watch) bool { return w.canRead() && !w.failing() })
	reads = r.take(now, (*watch).isUnanswered) || reads
	if reads = r.take(now, (*watch).hasFailed) || reads; !reads {
		for _, w := range r.watches {
			if now.Before(w.pause) {
				r.retryAt(e, w.pause)
			}
		}
	}
	for _, w := range r.watches {
		for _, c := range w.cohorts {
			if !c.failing.IsZero() && now.Sub(c.failing) >= e.config.StaleAfter {
				c.notifyStale(now, func(*Stream) bool { return true })
			}
		}
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
		r.clearDemand(e)
		e.recordsMu.Lock()
		delete(e.records, r.key)
		e.recordsMu.Unlock()
	}
}
