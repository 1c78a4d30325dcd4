package live

import (
	"context"
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

// cohort is the streams of a watch with the same answer.
type cohort struct {
	key     string
	watch   *watch
	until   Until
	execute func(context.Context, *Reading) ([]byte, error)
	streams map[*Stream]struct{}

	read   bool    // whether known is set
	known  int     // entries of the history that do not count for until
	answer []byte  // the last one, if it has at most keptAnswer bytes
	hash   Version // of the last answer
	at     Event   // without an answer: when the last one was read

	failing time.Time // of the first failure since the last reading that was answered
	err     error     // of the last failure: of a read, or of execute
	again   time.Time // from then on a reading is executed even if the record has not changed; the zero time for never
}

// keptAnswer is the size up to which an answer is kept for streams that join later.
const keptAnswer = 16 << 10

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
	payer   *caller
	demand  float64 // its part of Engine.demand, and of that of its payer
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
	r.next = now.Add(r.interval(e, now))
	e.set(&r.alarm, r.next)
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
	r.pay(e, 1/(multiple*e.config.Interval.Seconds()))
	multiple *= e.stretch(r.payer, now) * (0.9 + 0.2*e.config.Random())
	return time.Duration(multiple * float64(e.config.Interval))
}

// ring queues a read of a watch, and one of another watch whose last read failed, so that it does not take the turn of one that
// can read. If all are paused, it rings again at the end of the first pause.
func (r *record) ring(e *Engine, now time.Time) {
	for _, w := range r.watches {
		if err := w.paused(now); err != nil && w.err == nil { // because of its token
			w.note(now, err)
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
				c.tellStale(now, func(*Stream) bool { return true })
			}
		}
	}
}

// take lets the next watch read of those in a state. It reports whether there is one that need not wait.
func (r *record) take(now time.Time, state func(*watch) bool) bool {
	next := slices.IndexFunc(r.watches, func(w *watch) bool { return state(w) && !now.Before(w.pause) })
	if next < 0 {
		return false
	}
	w := r.watches[next]
	r.watches = append(slices.Delete(r.watches, next, next+1), w)
	w.queue()
	return true
}

// wasRead reports whether a read has succeeded.
func (w *watch) wasRead() bool { return !w.read.IsZero() }

// canRead reports whether the last read succeeded, and hasFailed whether it failed. Neither holds before the first read, which
// Engine.Join has queued.
func (w *watch) canRead() bool   { return w.wasRead() && w.err == nil }
func (w *watch) hasFailed() bool { return w.err != nil }

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

// tellStale sends a Stale event to each stream to which it applies, and whose last event was another one.
func (c *cohort) tellStale(now time.Time, applies func(*Stream) bool) {
	for s := range c.streams {
		if !s.stale && applies(s) {
			s.tell(Event{Reason: Stale, Err: c.err, Observed: now, Next: c.watch.record.next.Sub(now)})
		}
	}
}

// fail ends the streams with an error that further reads would not change.
func (w *watch) fail(err error, now time.Time) {
	for _, c := range w.cohorts {
		c.fail(err, now)
	}
}

func (c *cohort) fail(err error, now time.Time) {
	for s := range c.streams {
		s.tell(Event{Reason: Failed, Err: err, Observed: now, Final: true})
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

// leave removes a watch from its record, and the record if it was the last one.
func (e *Engine) leave(w *watch) {
	r := w.record
	r.watches = slices.DeleteFunc(r.watches, func(other *watch) bool { return other == w })
	if len(r.watches) == 0 {
		e.wheel.cancel(&r.alarm)
		r.unpay(e)
		delete(e.records, r.key)
	}
}
