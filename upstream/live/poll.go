package live

import (
	"errors"
	"fmt"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// read reads a watch that was queued, unless its streams left or it must wait.
func (e *Engine) read(w *watch) {
	e.mu.Lock()
	w.queued = false
	now, reading := time.Now(), false
	if len(w.cohorts) > 0 && e.ctx.Err() == nil {
		if err := w.pausedLocked(now); err != nil {
			w.failLocked(now, err)
		} else {
			w.reading, reading = true, true
			if !w.isCurrentLocked(now) {
				w.seen = client.Digest{}
			}
		}
	}
	e.mu.Unlock()
	if reading {
		e.poll(w)
	}
}

// poll reads a watch once and notifies its streams.
func (e *Engine) poll(w *watch) {
	defer func() {
		if panicked := recover(); panicked != nil {
			e.config.Log.Error("panic in a live read", "type", fmt.Sprintf("%T", panicked))
			e.failed(w, &upstream.Error{Kind: upstream.KindInternal, Err: errPanic})
		}
	}()
	if w.paying { // the first stream paid for the first read when it began
		if wait := e.config.Pay(w.token); wait > 0 {
			e.postponed(w, wait)
			return
		}
	}
	w.paying = true
	reading, err := e.config.Source.Read(e.ctx, w.token, w.subject, !w.wasReadLocked(), &w.seen)
	if errors.Is(err, client.ErrUnchanged) {
		e.unchanged(w)
		return
	}
	if err != nil {
		e.failed(w, err)
		return
	}
	defer reading.Release()
	reading.Read = time.Now()
	e.succeeded(w, reading)
}

var errPanic = errors.New("panic")

// postponed lets a watch wait that has no credit. Its streams are notified if that lasts.
func (e *Engine) postponed(w *watch, wait time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Postponed++
	if now := time.Now(); w.abandonReadLocked() {
		w.pause = now.Add(wait + e.random(2*e.config.Interval))
		w.failLocked(now, &upstream.Error{Kind: upstream.KindRateLimited, RetryAfter: wait})
	}
}

// failed handles a read that failed.
func (e *Engine) failed(w *watch, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Failed++
	if !w.abandonReadLocked() {
		return
	}
	now := time.Now()
	var reason *upstream.Error
	if !errors.As(err, &reason) {
		reason = &upstream.Error{Kind: upstream.KindInternal, Err: err}
	}
	if reason.Kind == upstream.KindUnauthenticated && w.mayHaveExpiredLocked(now) {
		w.endLocked(EndExpired)
		return
	}
	if reason.Kind.Reaction().EndsStream {
		w.notifyFailedLocked(reason, now)
		if len(w.record.watches) > 0 { // the next one is read now
			w.record.readByLocked(e, now)
		}
		return
	}
	pause := reason.RetryAfter
	if reason.Kind == upstream.KindRateLimited {
		if pause == 0 { // the API names no time
			pause = limitedFactor * e.config.Interval
		}
		if until := now.Add(pause); until.After(w.limit.pause) {
			w.limit.pause, w.limit.err = until, reason
		}
	}
	if pause > 0 {
		w.pause = now.Add(pause + e.spreadLocked())
	}
	w.failLocked(now, reason)
}

// unchanged handles a response that is the same as the last one.
func (e *Engine) unchanged(w *watch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Reads++
	if len(w.cohorts) == 0 {
		return
	}
	w.read = time.Now()
	w.propagated = w.propagated && w.requeue
	w.finishReadLocked()
}

// succeeded handles a reading. The answers are computed without the lock.
func (e *Engine) succeeded(w *watch, reading *Reading) {
	for _, c := range e.apply(w, reading) {
		var answer []byte
		var err error
		if c.execute != nil {
			answer, err = c.run(reading)
		}
		c.answered(reading, answer, err)
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	w.finishReadLocked()
}

// apply updates the watch and its record with a reading. It returns the cohorts that need an answer.
func (e *Engine) apply(w *watch, reading *Reading) (outdated []*cohort) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Reads++
	if len(w.cohorts) == 0 {
		return nil
	}
	now := time.Now()
	first := !w.wasReadLocked()
	changed := first || w.version != reading.Version
	significant := changed && !first && w.isSignificantLocked(reading)
	recovered := w.hasFailedLocked()
	w.version, w.read, w.err, w.pause = reading.Version, now, nil, time.Time{}
	if recovered { // else the failure was of execute
		for _, c := range w.cohorts {
			c.failing = time.Time{}
		}
	}
	if first {
		w.state = stateOf(reading)
		e.shareRecordLocked(w, now)
	}
	r := w.record
	newer := reading.Updated.After(r.updated)
	if newer {
		significant = significant || first
		r.updated = reading.Updated
	}
	r.status = reading.Status
	switch {
	case first: // the polls of others are not delayed
		r.scheduleEarlierLocked(e, now)
	case significant: // else the record is not read more often because of it
		r.changed = now
		r.rescheduleLocked(e, now)
	case recovered: // it was due early
		r.rescheduleLocked(e, now)
	}
	if significant && (newer || !w.propagated) { // newer: another change than the one that was propagated
		r.propagateLocked(w)
	}
	w.propagated = w.propagated && w.requeue
	if recovered { // the next one probably can be read again too
		r.readExtraLocked(e, now, (*watch).hasFailedLocked)
	}
	return w.outdatedLocked(reading, changed, now)
}

// outdatedLocked returns the cohorts that need an answer to a reading. For the others, the last answer is current.
func (w *watch) outdatedLocked(reading *Reading, changed bool, now time.Time) (outdated []*cohort) {
	for _, c := range w.cohorts {
		if !c.read {
			c.read = true
			if c.until.Since.IsZero() {
				c.known = c.until.entries(reading)
			}
		}
		if changed || c.needsAnswerLocked(now) || c.until.reached(reading, c.known) {
			outdated = append(outdated, c)
		} else {
			c.failing, c.err = time.Time{}, nil
		}
	}
	return outdated
}
