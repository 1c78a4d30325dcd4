package live

import (
	"time"

	"pixgraph/upstream"
)

// pay pays for what the watch owes, or returns how long it must wait to pay the rest.
func (w *watch) pay() time.Duration {
	for w.owed > 0 {
		paid, wait := w.engine.config.Pay(w.token, w.owed)
		if paid == 0 {
			return max(wait, wheelTick)
		}
		w.owed -= paid
	}
	return 0
}

// payAnswers pays for the calls of the answers to a reading, or returns how long the watch must wait. Then the rest is
// paid for together with the next read, which would otherwise leave less for it each time.
func (w *watch) payAnswers(reading *Reading) time.Duration {
	calls := w.callsOf(reading)
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

// callsOf returns the number of calls of the answers to a reading that no stream has paid for.
func (w *watch) callsOf(reading *Reading) (calls int) {
	w.engine.mu.Lock()
	defer w.engine.mu.Unlock()
	changed, now := w.version != reading.Version, time.Now()
	for _, c := range w.cohorts {
		if !c.paid && c.isOutdatedLocked(reading, changed, now) {
			calls += c.calls
		}
	}
	return calls
}

// postpone lets a watch wait that has no credit. Its streams are notified if that lasts.
func (w *watch) postpone(wait time.Duration) {
	e := w.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Postponed++
	if now := time.Now(); w.abandonReadLocked() {
		w.pause = now.Add(wait + e.config.Random.UpTo(2*e.config.Interval))
		w.retryLaterLocked(now, &upstream.Error{Kind: upstream.KindRateLimited, RetryAfter: wait})
	}
}
