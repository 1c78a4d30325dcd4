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
	state   *state
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
	line       line // of the queued read, which is urgent if streams wait for it: for their first event, or for a known change
	reading    bool
	owed       int           // calls to pay for before the next read: the first one is paid for
	prepaid    int           // calls of answers that were paid for, and not made yet
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

// condition is what the last read and its answers have led to.
type condition uint8

const (
	unread     condition = 1 << iota // state.begin has queued the first read
	healthy                          // all answers are there
	unanswered                       // streams wait for an answer that failed
	failed                           // the read failed
)

func (w *watch) condition() condition {
	switch {
	case w.err != nil:
		return failed
	case w.read.IsZero():
		return unread
	case slices.ContainsFunc(w.cohorts, func(c *cohort) bool { return !c.failing.IsZero() }):
		return unanswered
	default:
		return healthy
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

// abandonRead ends a read that failed. It reports whether the watch still has streams.
func (w *watch) abandonRead() bool {
	w.reading, w.requeue, w.propagated = false, false, false
	return len(w.cohorts) > 0
}

// finishRead ends a read, and begins another one if there is a reason since it began.
func (w *watch) finishRead(now time.Time) {
	again := w.requeue
	if w.reading, w.requeue = false, false; again && len(w.cohorts) > 0 {
		w.state.enqueue(w, true, now)
	}
}

// retryLater stores why the watch has no current reading, and schedules a retry. Another watch reads if this one
// could be read before.
func (w *watch) retryLater(now time.Time, err error) {
	couldRead := w.condition()&(healthy|unanswered) > 0
	if w.setError(now, err); couldRead {
		w.record.readExtra(healthy|unanswered, w, now)
	}
	w.record.setEarlier(now)
	w.notifyStale(now)
}

// maxBackoff bounds the time between retries, so that streams are current soon after the API recovers.
const maxBackoff = 30 * time.Second

// backOff sets the time of the next retry after a failure whose error names none.
func (w *watch) backOff(now time.Time) {
	interval := w.state.interval
	w.backoff = min(max(2*w.backoff, interval), max(maxBackoff, interval))
	w.retry = now.Add(w.backoff - w.state.random.UpTo(w.backoff/5))
}

// mayReadFrom returns the time before which the watch must not be polled or retried.
func (w *watch) mayReadFrom() time.Time {
	if w.retry.After(w.pause) {
		return w.retry
	}
	return w.pause
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

// clockSkew is the difference that the clock of an API may have: a token that it rejects so early has expired.
const clockSkew = 30 * time.Second

// mayHaveExpired reports whether the token of a watch has expired, if an API rejects it. If its expiry is unknown
// (forward mode), a token that was accepted before has.
func (w *watch) mayHaveExpired(now time.Time) bool {
	if w.token.Expires.IsZero() {
		return !w.read.IsZero()
	}
	return w.token.Expires.Sub(now) < clockSkew
}

// isCurrent reports whether all streams have the answer to the last reading: the same response is not news.
func (w *watch) isCurrent(now time.Time) bool {
	return w.condition() == healthy && !slices.ContainsFunc(w.cohorts, func(c *cohort) bool {
		return !c.read || c.execute != nil && c.needsAnswer(now)
	})
}

// updateProgress reports whether a changed reading is significant: a reason for the other watches of the record
// to read, and to read the record as often as one that has just changed. A record may have members, unknown to us, that
// differ at every read. If they alone changed several times in a row, they are no reason.
func (w *watch) updateProgress(reading *Reading) bool {
	last := w.progress
	w.progress = progressOf(reading)
	if w.progress != last {
		w.noise = 0
		return true
	}
	w.noise++
	return w.noise < maxNoise
}
