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
	read    time.Time // of the last successful read; the zero time before the first one
	err     error     // of the last read, if it failed
	pause   time.Time // no read before: the API or the rate limit asked for it

	queued  bool
	reading bool
	paying  bool          // whether reads are charged; of the goroutine that reads
	seen    client.Digest // of the last response; of the goroutine that reads
	again   bool          // to be read again after the read in progress
	hinted  bool          // whether another watch saw a change, so that the next read does not pass it on

	state    state
	restless int // readings in a row whose change was not one of the state
}

// state is what a change of a record usually changes.
type state struct {
	status  string
	entries int // of its history
	updated time.Time
}

func stateOf(r *Reading) state { return state{r.Status, len(r.History), r.Updated} }

// maxRestless is the number of changes in a row, without a change of the state, after which they are not passed on.
const maxRestless = 3

// wasRead reports whether a read has succeeded.
func (w *watch) wasRead() bool { return !w.read.IsZero() }

// canRead reports whether the last read succeeded, and hasFailed whether it failed. Neither holds before the first read, which
// Engine.Join has queued.
func (w *watch) canRead() bool   { return w.wasRead() && w.err == nil }
func (w *watch) hasFailed() bool { return w.err != nil }

// isUnanswered reports whether the last read succeeded, and streams wait for an answer to it that failed.
func (w *watch) isUnanswered() bool { return w.canRead() && w.failing() }

// queue has the watch read as soon as a worker is free.
func (w *watch) queue() {
	switch {
	case w.reading:
		w.again = true
	case !w.queued:
		w.queued = true
		w.engine.readers[w.subject.service()].add(w)
	}
}

// failing reports whether streams wait for an answer that failed.
func (w *watch) failing() bool {
	return slices.ContainsFunc(w.cohorts, func(c *cohort) bool { return !c.failing.IsZero() })
}

// fail ends the streams with an error that further reads would not change.
func (w *watch) fail(err error, now time.Time) {
	for _, c := range w.cohorts {
		c.fail(err, now)
	}
}

// end ends all streams.
func (w *watch) end(why End) {
	for _, c := range w.cohorts {
		for s := range c.streams {
			s.end(why)
		}
	}
}

// abandon ends a read that failed. It reports whether the watch still has streams.
func (w *watch) abandon() bool {
	w.reading, w.again, w.hinted = false, false, false
	return len(w.cohorts) > 0
}

// finish ends a read, and begins another one if there is a reason since it began.
func (w *watch) finish() {
	again := w.again
	if w.reading, w.again = false, false; again && len(w.cohorts) > 0 {
		w.queue()
	}
}

// markFailing is setError, and lets another watch take the turn if this one could be read before.
func (w *watch) markFailing(now time.Time, err error) {
	couldRead := w.canRead()
	if w.setError(now, err); couldRead {
		w.record.takeMore(w.engine, now, (*watch).canRead)
	}
	w.record.hasten(w.engine, now)
	w.notifyStale(now)
}

// setError stores the reason why the watch has no current reading.
func (w *watch) setError(now time.Time, err error) {
	w.err = err
	for _, c := range w.cohorts {
		c.setError(now, err)
	}
}

// notifyStale notifies the streams that need it that their answer is not current.
func (w *watch) notifyStale(now time.Time) {
	for _, c := range w.cohorts {
		c.notifyStale(now)
	}
}

// clockSkew is the difference of clocks that an API may have: a token that it rejects so long before its expiry has expired.
const clockSkew = 30 * time.Second

// mayHaveExpired reports whether the token of a watch has expired, if an API rejects it. If its expiry is unknown (forward
// mode), a token that was accepted before has.
func (w *watch) mayHaveExpired(now time.Time) bool {
	if w.token.Expires.IsZero() {
		return w.wasRead()
	}
	return w.token.Expires.Sub(now) < clockSkew
}

// current reports whether all streams have the answer to the last reading, so that the same response is nothing new.
func (w *watch) current(now time.Time) bool {
	return w.canRead() && !slices.ContainsFunc(w.cohorts, func(c *cohort) bool {
		return !c.read || !c.failing.IsZero() || c.execute != nil && c.needsAnswer(now)
	})
}

// significant reports whether a changed reading is a reason for the other watches of the record to read, and to read the record
// as often as one that has just changed. A record may have members, unknown to us, that differ at every read. If they alone
// changed several times in a row, they are no reason.
func (w *watch) significant(reading *Reading) bool {
	last := w.state
	w.state = stateOf(reading)
	if w.state != last {
		w.restless = 0
		return true
	}
	w.restless++
	return w.restless < maxRestless
}
