package live

import (
	"errors"
	"fmt"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// poll reads a watch of the queue once and notifies its streams, unless they left or it must wait.
func (e *Engine) poll(w *watch) {
	first, ok := w.beginRead()
	if !ok {
		return
	}
	err := e.guard("read", func() error { return w.readOnce(first) })
	switch {
	case errors.Is(err, client.ErrUnchanged):
		w.unchanged()
	case err != nil:
		w.failed(err)
	}
}

// errPanic is the error of a function that panicked.
var errPanic error = &upstream.Error{Kind: upstream.KindInternal, Err: errors.New("panic")}

// guard calls a function of the user of the engine, and recovers from a panic.
func (e *Engine) guard(what string, call func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			e.config.Log.Error("panic in a live "+what, "type", fmt.Sprintf("%T", panicked))
			err = errPanic
		}
	}()
	return call()
}

// beginRead takes a watch from the queue. It reports whether the watch is to be read, and for the first time.
func (w *watch) beginRead() (first, ok bool) {
	e := w.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	w.queued = false
	if len(w.cohorts) == 0 || e.ctx.Err() != nil {
		return false, false
	}
	now := time.Now()
	if err := w.pausedLocked(now); err != nil {
		w.retryLaterLocked(now, err)
		return false, false
	}
	w.reading = true
	if !w.isCurrentLocked(now) {
		w.seen = client.Digest{}
	}
	return !w.wasReadLocked(), true
}

// readOnce reads a watch and answers its cohorts. Answers are computed without the lock.
func (w *watch) readOnce(first bool) error {
	e := w.engine
	if wait := w.pay(); wait > 0 {
		w.postpone(wait)
		return nil
	}
	w.owed = 1
	reading, err := e.config.Source.Read(e.ctx, w.token, w.subject, first, &w.seen)
	if err != nil {
		return err
	}
	defer reading.Release()
	reading.Read = time.Now()
	if wait := w.payAnswers(reading); wait > 0 {
		w.seen = client.Digest{} // the next read finds the same reason
		w.postpone(wait)
		return nil
	}
	for _, c := range w.apply(reading) {
		c.answer(reading)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	w.finishReadLocked()
	return nil
}

// failed handles a read that failed.
func (w *watch) failed(err error) {
	e := w.engine
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
	switch {
	case reason.Kind == upstream.KindUnauthenticated && w.mayHaveExpiredLocked(now):
		w.endLocked(EndExpired)
	case reason.Kind.Reaction().EndsStream:
		w.notifyFailedLocked(reason, now)
		if len(w.record.watches) > 0 { // the next one is read now
			w.record.readByLocked(now)
		}
	default:
		w.pauseAfterLocked(reason, now)
		w.retryLaterLocked(now, reason)
	}
}

// unchanged handles a response that is the same as the last one.
func (w *watch) unchanged() {
	e := w.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Reads++
	if len(w.cohorts) == 0 {
		return
	}
	w.read = time.Now()
	w.propagated, w.record.hinted = w.propagated && w.requeue, false
	w.finishReadLocked()
}

// apply updates the watch and its record with a reading. It returns the cohorts that need an answer.
func (w *watch) apply(reading *Reading) (outdated []*cohort) {
	e := w.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Reads++
	if len(w.cohorts) == 0 {
		return nil
	}
	now := time.Now()
	is := news{first: !w.wasReadLocked(), recovered: w.hasFailedLocked()}
	changed := is.first || w.version != reading.Version
	is.significant = changed && !is.first && w.updateProgressLocked(reading)
	w.version, w.read, w.err, w.pause, w.backoff, w.retry = reading.Version, now, nil, time.Time{}, 0, time.Time{}
	if is.recovered { // else the failure was of execute
		for _, c := range w.cohorts {
			c.failing = time.Time{}
		}
	}
	if is.first {
		w.progress = progressOf(reading)
		e.shareRecordLocked(w, now)
	}
	w.record.updateLocked(w, reading, is, now)
	w.propagated = w.propagated && w.requeue
	return w.outdatedLocked(reading, changed, now)
}

// outdatedLocked returns the cohorts that need an answer to a reading. For the others, the last answer is current.
func (w *watch) outdatedLocked(reading *Reading, changed bool, now time.Time) (outdated []*cohort) {
	for _, c := range w.cohorts {
		if !c.read {
			c.read, c.known = true, c.until.known(reading)
		}
		if c.isOutdatedLocked(reading, changed, now) {
			outdated, c.paid = append(outdated, c), false
		} else {
			c.failing, c.err = time.Time{}, nil
		}
	}
	return outdated
}
