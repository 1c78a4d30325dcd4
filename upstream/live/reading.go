package live

import (
	"errors"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// begin takes a watch from the queue. It reports whether the watch is to be read, and for the first time.
func (w *watch) begin(now time.Time) (first, ok bool) {
	w.queued = false
	if len(w.cohorts) == 0 {
		return false, false
	}
	if err := w.paused(now); err != nil {
		w.retryLater(now, err)
		return false, false
	}
	if wait := w.pay(); wait > 0 {
		w.postpone(wait, now)
		return false, false
	}
	w.reading, w.owed = true, 1
	if !w.isCurrent(now) {
		w.seen = client.Digest{}
	}
	return w.read.IsZero(), true
}

// failed handles a read that failed.
func (w *watch) failed(err error, now time.Time) {
	w.state.counts.Failed++
	if !w.abandonRead() {
		return
	}
	var reason *upstream.Error
	if !errors.As(err, &reason) {
		reason = &upstream.Error{Kind: upstream.KindInternal, Err: err}
	}
	switch {
	case reason.Kind == upstream.KindUnauthenticated && w.mayHaveExpired(now):
		w.end(EndExpired)
	case reason.Kind.Reaction().EndsStream:
		for _, c := range w.cohorts {
			c.notifyFailed(reason, now)
		}
		if len(w.record.watches) > 0 { // the next one is read now
			w.record.readBy(now)
		}
	default:
		w.pauseAfter(reason, now)
		w.retryLater(now, reason)
	}
}

// postpone lets a watch wait that has no credit. Its streams are notified if that lasts.
func (w *watch) postpone(wait time.Duration, now time.Time) {
	w.state.counts.Postponed++
	if w.abandonRead() {
		w.pause = now.Add(wait + w.state.random.UpTo(2*w.state.interval))
		w.retryLater(now, &upstream.Error{Kind: upstream.KindRateLimited, RetryAfter: wait})
	}
}

// unchanged handles a response that is the same as the last one.
func (w *watch) unchanged(now time.Time) {
	w.state.counts.Reads++
	if len(w.cohorts) == 0 {
		return
	}
	w.read = now
	w.propagated, w.record.hinted = w.propagated && w.requeue, false
	w.finishRead(now)
}

// apply updates the watch and its record with a reading. It returns the cohorts that need an answer, and whether the
// answers are paid for. Otherwise the read has ended.
func (w *watch) apply(reading *Reading, now time.Time) (outdated []*cohort, paid bool) {
	if wait := w.payAnswers(reading, now); wait > 0 {
		w.seen = client.Digest{} // the next read finds the same reason
		w.postpone(wait, now)
		return nil, false
	}
	w.state.counts.Reads++
	if len(w.cohorts) == 0 {
		return nil, true
	}
	reading.Read = now
	is := news{first: w.read.IsZero(), recovered: w.err != nil}
	changed := is.first || w.version != reading.Version
	is.significant = changed && !is.first && w.updateProgress(reading)
	w.version, w.read, w.err, w.pause, w.backoff, w.retry = reading.Version, now, nil, time.Time{}, 0, time.Time{}
	if is.recovered { // else the failure was of execute
		for _, c := range w.cohorts {
			c.failing = time.Time{}
		}
	}
	if is.first {
		w.progress = progressOf(reading)
		w.state.share(w, now)
	}
	if r := w.record; r.update(w, reading, is, now) && w.state.config.Hint != nil && r.key.token == "" {
		w.state.config.Hint(HintOf(r.key.target))
	}
	w.propagated = w.propagated && w.requeue
	for _, c := range w.cohorts {
		if !c.read {
			c.read, c.known = true, c.until.known(reading)
		}
		if c.isOutdated(reading, changed, now) {
			outdated, c.paid = append(outdated, c), false
		} else { // its last answer is current
			c.failing, c.err = time.Time{}, nil
		}
	}
	return outdated, true
}

// pay pays for what the watch owes, or returns how long it must wait to pay the rest.
func (w *watch) pay() time.Duration {
	for w.owed > 0 {
		paid, wait := w.state.config.Pay(w.token, w.owed)
		if paid == 0 {
			return max(wait, timerTick)
		}
		w.owed -= paid
	}
	return 0
}

// payAnswers pays for the calls of the answers to a reading, or returns how long the watch must wait. Then the rest is
// paid for together with the next read, which would otherwise leave less for it each time.
func (w *watch) payAnswers(reading *Reading, now time.Time) time.Duration {
	calls := 0
	for _, c := range w.cohorts {
		if !c.paid && c.isOutdated(reading, w.version != reading.Version, now) {
			calls += c.calls
		}
	}
	next := w.owed
	w.owed = max(0, calls-w.prepaid)
	w.prepaid = max(w.prepaid, calls)
	wait := w.pay()
	if wait == 0 {
		w.prepaid -= calls
	}
	w.owed += next
	return wait
}
