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
	began   time.Time // of the newest stream
	changed time.Time
	updated time.Time // the latest updatedAt that a watch has read
	nudged  time.Time
	status  string
	caller  *caller // that its demand counts for
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

// schedule sets the alarm for the next read of the record. The engine is locked.
func (r *record) schedule(e *Engine, now time.Time) {
	r.next = e.wheel.together(now, now.Add(r.interval(e, now)))
	e.set(&r.alarm, r.next)
}

// reschedule is schedule after a read. An alarm that is due at once stays: a hint may have set it since the read began.
func (r *record) reschedule(e *Engine, now time.Time) {
	if r.next.Sub(now) > nudgeEvery {
		r.schedule(e, now)
	}
}

// hasten moves the alarm forward if the record would now be read earlier.
func (r *record) hasten(e *Engine, now time.Time) {
	r.hastenTo(e, now.Add(r.interval(e, now)))
}

func (r *record) hastenTo(e *Engine, at time.Time) {
	if r.alarm.at == 0 || at.Before(r.next) {
		r.next = at
		e.set(&r.alarm, at)
	}
}

// interval returns the time until the next read.
func (r *record) interval(e *Engine, now time.Time) time.Duration {
	quiet := min(now.Sub(r.changed), now.Sub(r.began))
	multiple := factor(r.watches[0].subject, r.status, quiet)
	if slices.ContainsFunc(r.watches, (*watch).failing) {
		multiple = min(multiple, failingFactor)
	}
	r.setDemand(e, 1/(multiple*e.config.Interval.Seconds()))
	multiple *= e.stretch(r.caller, now) * (0.9 + 0.2*e.config.Random())
	return time.Duration(multiple * float64(e.config.Interval))
}

// ring queues a read of a watch, and one of another watch whose last read failed, so that it does not take the turn of one that
// can read. If all are paused, it rings again at the end of the first pause.
func (r *record) ring(e *Engine, now time.Time) {
	for _, w := range r.watches {
		if err := w.paused(now); err != nil && w.err == nil { // because of its token
			w.setError(now, err)
		}
	}
	r.schedule(e, now)
	reads := r.take(now, (*watch).canRead)
	if reads = r.take(now, (*watch).hasFailed) || reads; !reads {
		for _, w := range r.watches {
			if now.Before(w.pause) {
				r.hastenTo(e, w.pause)
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
		e.records[key] = r
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
		delete(e.records, r.key)
	}
}
