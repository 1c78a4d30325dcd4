package live

import (
	"slices"
	"time"

	"pixgraph/upstream/client"
)

// watchKey identifies what is read with one token.
type watchKey struct{ token, route, target string }

// watch reads one subject with one token, for all streams of that token.
type watch struct {
	engine  *Engine
	key     watchKey
	token   Token
	subject Subject
	record  *record
	caller  *caller
	limit   *tokenLimit
	cohorts []*cohort // replaced, not modified, when one is removed, since that may happen while they are iterated

	version Version
	read    time.Time     // of the last successful read; the zero time before the first one
	err     error         // of the last read, if it failed
	pause   time.Time     // no read before: the API or the rate limit asked for it
	backoff time.Duration // of retries; doubled by each failure, 0 after a success
	retry   time.Time     // no retry before, except after a nudge and when another watch of the record recovers

	queued     bool
	share      string // the key of the caller in the queue, when it was queued
	urgent     bool   // whether streams wait for the queued read: for their first event, or for a change that is known
	reading    bool
	owed       int           // calls to pay for before the next read: the first one is paid for; of the goroutine that reads
	prepaid    int           // calls of answers that were paid for, and not made yet; of the goroutine that reads
	seen       client.Digest // of the last response; of the goroutine that reads
	requeue    bool          // to be read again after the read in progress
	propagated bool          // whether another watch saw a change, so that the next read does not pass it on

	progress progress
	noise    int // readings in a row whose change was not one of the progress
}

// progress is what a change of a record usually changes.
type progress struct {
	status  string
	entries int // of its history
	updated time.Time
}

func progressOf(r *Reading) progress { return progress{r.Status, len(r.History), r.Updated} }

// maxNoise is the number of changes in a row, without a change of the progress, from which on they are not propagated.
const maxNoise = 3

// wasReadLocked reports whether a read has succeeded.
func (w *watch) wasReadLocked() bool { return !w.read.IsZero() }

// canReadLocked reports whether the last read succeeded, and hasFailedLocked whether it failed. Neither holds before
// the first read, which Engine.Join has queued.
func (w *watch) canReadLocked() bool   { return w.wasReadLocked() && w.err == nil }
func (w *watch) hasFailedLocked() bool { return w.err != nil }

// isUnansweredLocked and isHealthyLocked report whether the last read succeeded, and streams wait for an answer to it
// that failed, or none does.
func (w *watch) isUnansweredLocked() bool { return w.canReadLocked() && w.failingLocked() }
func (w *watch) isHealthyLocked() bool    { return w.canReadLocked() && !w.failingLocked() }

// enqueueLocked has the watch read as soon as the pace allows it and a worker is free.
func (w *watch) enqueueLocked(urgent bool) {
	switch {
	case w.reading:
		w.requeue = true
	case !w.queued, urgent && !w.urgent && w.engine.pace.waiting.remove(w):
		w.queued, w.urgent = true, urgent
		w.engine.paceLocked(w)
	}
}

// failingLocked reports whether streams wait for an answer that failed.
func (w *watch) failingLocked() bool {
	return slices.ContainsFunc(w.cohorts, func(c *cohort) bool { return !c.failing.IsZero() })
}

// notifyFailedLocked ends the streams with an error that further reads would not change.
func (w *watch) notifyFailedLocked(err error, now time.Time) {
	for _, c := range w.cohorts {
		c.notifyFailedLocked(err, now)
	}
}

// endLocked ends all streams.
func (w *watch) endLocked(why End) {
	for _, c := range w.cohorts {
		for s := range c.streams {
			s.endLocked(why)
		}
	}
}

// abandonReadLocked ends a read that failed. It reports whether the watch still has streams.
func (w *watch) abandonReadLocked() bool {
	w.reading, w.requeue, w.propagated = false, false, false
	return len(w.cohorts) > 0
}

// finishReadLocked ends a read, and begins another one if there is a reason since it began.
func (w *watch) finishReadLocked() {
	again := w.requeue
	if w.reading, w.requeue = false, false; again && len(w.cohorts) > 0 {
		w.enqueueLocked(true)
	}
}

// retryLaterLocked stores why the watch has no current reading, and schedules a retry. Another watch reads if this one
// could be read before.
func (w *watch) retryLaterLocked(now time.Time, err error) {
	couldRead := w.canReadLocked()
	if w.setErrorLocked(now, err); couldRead {
		w.record.readExtraLocked(now, (*watch).canReadLocked)
	}
	w.record.scheduleEarlierLocked(now)
	w.notifyStaleLocked(now)
}

// maxBackoff bounds the time between retries, so that streams are current soon after the API recovers.
const maxBackoff = 30 * time.Second

// backOffLocked sets the time of the next retry after a failure whose error names none.
func (w *watch) backOffLocked(now time.Time) {
	interval := w.engine.config.Interval
	w.backoff = min(max(2*w.backoff, interval), max(maxBackoff, interval))
	w.retry = now.Add(w.backoff - w.engine.config.Random.UpTo(w.backoff/5))
}

// mayReadFromLocked returns the time before which the watch must not be polled or retried.
func (w *watch) mayReadFromLocked() time.Time {
	if w.retry.After(w.pause) {
		return w.retry
	}
	return w.pause
}

// setErrorLocked stores the reason why the watch has no current reading.
func (w *watch) setErrorLocked(now time.Time, err error) {
	w.err = err
	for _, c := range w.cohorts {
		c.setErrorLocked(now, err)
	}
}

// notifyStaleLocked notifies the streams that need it that their answer is not current.
func (w *watch) notifyStaleLocked(now time.Time) {
	for _, c := range w.cohorts {
		c.notifyStaleLocked(now)
	}
}

// clockSkew is the difference that the clock of an API may have: a token that it rejects so early has expired.
const clockSkew = 30 * time.Second

// mayHaveExpiredLocked reports whether the token of a watch has expired, if an API rejects it. If its expiry is unknown
// (forward mode), a token that was accepted before has.
func (w *watch) mayHaveExpiredLocked(now time.Time) bool {
	if w.token.Expires.IsZero() {
		return w.wasReadLocked()
	}
	return w.token.Expires.Sub(now) < clockSkew
}

// isCurrentLocked reports whether all streams have the answer to the last reading: the same response is not news.
func (w *watch) isCurrentLocked(now time.Time) bool {
	return w.canReadLocked() && !slices.ContainsFunc(w.cohorts, func(c *cohort) bool {
		return !c.read || !c.failing.IsZero() || c.execute != nil && c.needsAnswerLocked(now)
	})
}

// updateProgressLocked reports whether a changed reading is significant: a reason for the other watches of the record
// to read, and to read the record as often as one that has just changed. A record may have members, unknown to us, that
// differ at every read. If they alone changed several times in a row, they are no reason.
func (w *watch) updateProgressLocked(reading *Reading) bool {
	last := w.progress
	w.progress = progressOf(reading)
	if w.progress != last {
		w.noise = 0
		return true
	}
	w.noise++
	return w.noise < maxNoise
}
