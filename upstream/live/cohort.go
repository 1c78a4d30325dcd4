package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// cohort is the streams of a watch with the same answer.
type cohort struct {
	key     string
	watch   *watch
	until   Until
	execute func(context.Context, *Reading) ([]byte, error)
	streams map[*Stream]struct{}
	calls   int  // of execute
	paid    bool // whether a stream that began has paid for the next answer

	read  bool    // whether known is set
	known int     // entries of the history that do not count for until
	last  []byte  // answer, if it has at most keptAnswer bytes
	hash  Version // of the last answer
	at    Event   // without an answer: when the last one was read

	failing time.Time // of the first failure since the last reading that was answered
	err     error     // of the last failure: of a read, or of execute
	again   time.Time // from then on a reading is executed even if the record has not changed; the zero time for never
}

// keptAnswer is the size up to which an answer is kept for streams that join later.
const keptAnswer = 16 << 10

// cohortOf returns the cohort of a request, which is new if it is the first of its answer.
func (w *watch) cohortOf(request *Request) *cohort {
	for _, c := range w.cohorts {
		if c.key == request.Answer {
			return c
		}
	}
	c := &cohort{
		key: request.Answer, watch: w, until: request.Until, execute: request.Execute, calls: request.Calls,
		streams: map[*Stream]struct{}{},
	}
	w.cohorts = append(w.cohorts, c)
	return c
}

// needsAnswer reports whether a reading is to be executed that has not changed: a stream has no answer yet, or
// its last event was Stale, or the last execution failed.
func (c *cohort) needsAnswer(now time.Time) bool {
	if !c.again.IsZero() && !now.Before(c.again) {
		return true
	}
	for s := range c.streams {
		if !s.hasAnswer || s.stale {
			return true
		}
	}
	return false
}

// isOutdated reports whether a reading is to be executed.
func (c *cohort) isOutdated(reading *Reading, changed bool, now time.Time) bool {
	return changed || c.needsAnswer(now) || c.until.reached(reading, c.known)
}

// executed handles what execute returned, and notifies the streams. The answer may be incomplete; without execute it is
// nil.
func (c *cohort) executed(reading *Reading, answer []byte, err error, now time.Time) {
	switch {
	case len(c.streams) == 0: // they left during the execution; there may be no watch and no record any more
		return
	case errors.Is(err, errPanic):
		c.notifyFailed(err, now)
		return
	case err != nil && answer == nil:
		c.again = now
		c.setError(now, err)
		c.watch.record.setEarlier(now)
		c.notifyStale(now)
		return
	}
	if c.again = (time.Time{}); err != nil {
		c.again = now.Add(c.watch.state.config.StaleAfter)
	}
	if !c.failing.IsZero() { // the next one probably can be answered again too
		c.watch.record.readExtra(unanswered, c.watch, now)
	}
	c.failing, c.err = time.Time{}, nil
	if c.execute != nil {
		c.notify(reading, answer, now)
	} else if c.until.reached(reading, c.known) {
		for s := range c.streams {
			s.notify(Event{
				Reason: Reached, Reading: reading.retain(), Observed: reading.Read, Updated: reading.Updated, Final: true,
			})
		}
	}
}

// notify notifies the streams of a reading.
func (c *cohort) notify(reading *Reading, answer []byte, now time.Time) {
	hash := Version(sha256.Sum256(answer))
	changed := hash != c.hash
	c.hash, c.last = hash, nil
	if len(answer) <= keptAnswer {
		c.last = bytes.Clone(answer)
	}
	c.at = Event{Observed: reading.Read, Updated: reading.Updated}
	e := c.at
	e.Answer, e.Next = answer, ahead(now, c.watch.record.nextPoll)
	final := c.until.reached(reading, c.known)
	for s := range c.streams {
		switch {
		case final:
			e.Reason, e.Final, e.Next = Reached, true, 0
		case !s.hasAnswer:
			e.Reason = Snapshot
		case s.stale && !changed && s.cancelStale():
			continue
		case s.stale:
			e.Reason = Recovered
		case changed:
			e.Reason = Changed
		default:
			continue
		}
		s.notify(e)
	}
}

// setError stores the reason why there is no current answer.
func (c *cohort) setError(now time.Time, err error) {
	c.err = err
	if c.failing.IsZero() {
		c.failing = now
	}
}

// notifyStale sends a Stale event, after the next retry was set, to each stream that needs one and whose last
// event was another one. Streams without an answer need it at once.
func (c *cohort) notifyStale(now time.Time) {
	if c.failing.IsZero() {
		return
	}
	next := max(ahead(now, c.watch.record.nextRetry), c.watch.mayReadFrom().Sub(now))
	stale := now.Sub(c.failing) >= c.watch.state.config.StaleAfter
	for s := range c.streams {
		if !s.stale && (stale || !s.hasAnswer) {
			s.notify(Event{Reason: Stale, Err: c.err, Observed: now, Next: next})
		}
	}
}

// notifyFailed ends the streams with an error that further reads would not change.
func (c *cohort) notifyFailed(err error, now time.Time) {
	for s := range c.streams {
		s.notify(Event{Reason: Failed, Err: err, Observed: now, Final: true})
	}
}
