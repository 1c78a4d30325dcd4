package live

import (
	"slices"
	"time"
)

// ahead returns the time until a read that is due at a time. The wheel begins one that is due by now at its next tick.
func ahead(now, at time.Time) time.Duration { return max(wheelTick, at.Sub(now)) }

// scheduleLocked sets the times of the next poll and the next retry.
func (r *record) scheduleLocked(now time.Time) {
	poll, retry := r.intervalsLocked(now)
	r.nextPoll = r.engine.wheel.coalesce(now, now.Add(poll))
	r.setRetryLocked(now, retry)
	r.setTimerLocked()
}

// setRetryLocked sets the time of the next retry, or none if the interval is 0.
func (r *record) setRetryLocked(now time.Time, interval time.Duration) {
	if r.nextRetry = (time.Time{}); interval > 0 {
		r.nextRetry = r.engine.wheel.coalesce(now, now.Add(interval))
	}
}

// scheduleEarlierLocked moves the next poll and the next retry forward if they would now be earlier.
func (r *record) scheduleEarlierLocked(now time.Time) {
	poll, retry := r.intervalsLocked(now)
	if at := now.Add(poll); r.nextPoll.IsZero() || at.Before(r.nextPoll) {
		r.nextPoll = at
	}
	if retry > 0 {
		r.retryByLocked(now.Add(retry))
	}
	r.setTimerLocked()
}

// readByLocked moves the next poll, and the next retry if there is one, forward to a time.
func (r *record) readByLocked(at time.Time) {
	if at.Before(r.nextPoll) {
		r.nextPoll = at
	}
	if at.Before(r.nextRetry) {
		r.nextRetry = at
	}
	r.setTimerLocked()
}

// retryByLocked sets the next retry, or moves it forward. The timer stays.
func (r *record) retryByLocked(at time.Time) {
	if r.nextRetry.IsZero() || at.Before(r.nextRetry) {
		r.nextRetry = at
	}
}

func (r *record) setTimerLocked() {
	at := r.nextPoll
	if !r.nextRetry.IsZero() && r.nextRetry.Before(at) {
		at = r.nextRetry
	}
	r.engine.setTimerLocked(&r.timer, at)
}

// intervalsLocked returns the time until the next poll, and until the next retry, which is 0 if no answer fails.
func (r *record) intervalsLocked(now time.Time) (poll, retry time.Duration) {
	config, budget := &r.engine.config, &r.engine.budget
	multiple := factor(r.watches[0].subject, r.status, now.Sub(r.active))
	early := min(multiple, failingFactor)
	r.setDemandLocked(1/(multiple*config.Interval.Seconds()), 1/(early*config.Interval.Seconds()))
	jittered := float64(config.Interval*9/10 + config.Random.UpTo(config.Interval/5))
	poll = time.Duration(multiple * budget.slowdown(r.polls.caller, now) * jittered)
	if r.retries.caller != nil {
		retry = time.Duration(early * budget.slowdown(r.retries.caller, now) * jittered)
	}
	return poll, retry
}

// fireLocked queues reads that are due. A poll is a read of one watch whose answers do not fail, a retry one of a watch
// whose last read failed, and one of a watch whose answer failed. If all of them are paused, the timer fires again at
// the end of the first pause.
func (r *record) fireLocked(now time.Time) {
	for _, w := range r.watches {
		if err := w.pausedLocked(now); err != nil && w.err == nil { // because of its token
			w.setErrorLocked(now, err)
		}
	}
	poll, retry := r.intervalsLocked(now)
	reads, nudged := false, r.nudged.Equal(r.nextPoll)
	if !now.Before(r.nextPoll) {
		r.nextPoll = r.engine.wheel.coalesce(now, now.Add(poll))
		reads = r.readNextLocked(now, (*watch).isHealthyLocked, nudged)
	}
	if !now.Before(r.nextRetry) {
		r.setRetryLocked(now, retry)
		reads = r.readNextLocked(now, (*watch).isUnansweredLocked, false) || reads
		reads = r.readNextLocked(now, (*watch).hasFailedLocked, false) || reads
	}
	if !reads {
		for _, w := range r.watches {
			if from := w.mayReadFromLocked(); now.Before(from) {
				r.retryByLocked(from)
			}
		}
	}
	r.setTimerLocked()
	for _, w := range r.watches {
		w.notifyStaleLocked(now)
	}
}

// readNextLocked queues the next watch of those in a state. One whose last read has not ended, because its reads are
// slow or wait for others of its caller, is passed over if another one may read. It reports whether there is one that
// need not wait.
func (r *record) readNextLocked(now time.Time, state func(*watch) bool, urgent bool) bool {
	may := func(w *watch) bool { return state(w) && !now.Before(w.mayReadFromLocked()) }
	next := slices.IndexFunc(r.watches, func(w *watch) bool { return may(w) && !w.queued && !w.reading })
	if next < 0 {
		next = slices.IndexFunc(r.watches, may)
	}
	if next < 0 {
		return false
	}
	w := r.watches[next]
	r.watches = append(slices.Delete(r.watches, next, next+1), w)
	w.enqueueLocked(urgent)
	return true
}

// readExtraLocked is readNextLocked between polls and retries, because a watch failed or recovered, as far as the
// budget allows.
func (r *record) readExtraLocked(now time.Time, state func(*watch) bool) {
	if budget := &r.engine.budget; !now.Before(budget.nextExtra) && r.readNextLocked(now, state, false) {
		budget.countExtra(now)
	}
}
