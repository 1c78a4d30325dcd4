package live

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"pixgraph/upstream"
)

// needsAnswer reports whether a reading is to be executed that has not changed: a stream has no answer yet, or its last event
// was Stale, or the last execution failed.
func (c *cohort) needsAnswer(now time.Time) bool {
	if !c.again.IsZero() && !now.Before(c.again) {
		return true
	}
	for s := range c.streams {
		if !s.told || s.stale {
			return true
		}
	}
	return false
}

// run computes the answer to a reading.
func (c *cohort) run(reading *Reading) (answer []byte, err error) {
	e := c.watch.engine
	defer func() {
		if panicked := recover(); panicked != nil {
			e.config.Log.Error("panic in a live answer", "type", fmt.Sprintf("%T", panicked))
			err = errPanic
		}
	}()
	return c.execute(e.ctx, reading)
}

// answered handles the end of an execution. The engine is locked.
func (c *cohort) answered(reading *Reading, answer []byte, err error) {
	now := time.Now()
	switch {
	case errors.Is(err, errPanic):
		c.fail(&upstream.Error{Kind: upstream.KindInternal, Err: err}, now)
		return
	case err != nil && answer == nil:
		c.again = now
		c.markFailing(now, err)
		c.watch.record.hasten(c.watch.engine, now)
		return
	case err != nil:
		c.again = now.Add(c.watch.engine.config.StaleAfter)
	default:
		c.again = time.Time{}
	}
	c.failing, c.err = time.Time{}, nil
	if c.execute == nil {
		c.tellReading(reading)
	} else {
		c.tell(reading, answer)
	}
}

// tell notifies the streams of a reading. The engine is locked.
func (c *cohort) tell(reading *Reading, answer []byte) {
	hash := Version(sha256.Sum256(answer))
	changed := hash != c.hash
	c.hash, c.answer = hash, nil
	if len(answer) <= keptAnswer {
		c.answer = bytes.Clone(answer)
	}
	c.at = Event{Observed: reading.Read, Updated: reading.Updated}
	e := c.at
	e.Answer, e.Next = answer, time.Until(c.watch.record.next)
	final := c.until.reached(reading, c.known)
	for s := range c.streams {
		switch {
		case final:
			e.Reason, e.Final, e.Next = Reached, true, 0
		case !s.told:
			e.Reason = Snapshot
		case s.stale:
			e.Reason = Recovered
		case changed:
			e.Reason = Changed
		default:
			continue
		}
		s.tell(e)
	}
}

// tellReading notifies streams that have no answer, if the reading has reached their Until.
func (c *cohort) tellReading(reading *Reading) {
	if !c.until.reached(reading, c.known) {
		return
	}
	for s := range c.streams {
		s.tell(Event{
			Reason: Reached, Reading: reading.retain(), Observed: reading.Read, Updated: reading.Updated, Final: true,
		})
	}
}
