package live

import (
	"slices"
	"time"

	"pixgraph/internal/delay"
)

// plan is what the schedules of all records share.
type plan struct {
	interval    time.Duration // Config.Interval
	random      delay.Random  // Config.Random
	timers      timers
	budget      budget
	read        func(w *watch, urgent bool, now time.Time) // queues a read
	nudges      int                                        // since nudgesSince, which is at most a second ago
	nudgesSince time.Time
}

// schedule decides when a record is read, and by which of its watches: they are polled in turn, and a change that one
// sees makes the others read.
type schedule struct {
	plan      *plan
	watches   []*watch  // in the order of their next polls
	timer     timer     // at the next poll or retry
	nextPoll  time.Time // from then on, a watch whose answers do not fail reads
	nextRetry time.Time // from then on, watches that fail read; the zero time if none does
	active    time.Time // when the newest stream began, or the record changed
	updated   time.Time // the latest updatedAt that a watch has read
	nudged    time.Time
	hinted    bool // whether the next read has a cause that the other replicas know
	status    string
	polls     demand
	retries   demand
}

// ahead returns the time until a read that is due at a time. One that is due by now begins at the next tick.
func ahead(now, at time.Time) time.Duration { return max(timerTick, at.Sub(now)) }

// joined begins the reads for a new stream, or makes them more frequent.
func (s *schedule) joined(now time.Time) {
	s.active = now
	s.setEarlier(now)
}

// stop ends the reads.
func (s *schedule) stop() {
	s.plan.timers.cancel(&s.timer)
	s.clearDemand()
}

// set sets the times of the next poll and the next retry.
func (s *schedule) set(now time.Time) {
	poll, retry := s.intervals(now)
	s.nextPoll = s.plan.timers.coalesce(now, now.Add(poll))
	s.setRetry(now, retry)
	s.setTimer()
}

// setRetry sets the time of the next retry, or none if the interval is 0.
func (s *schedule) setRetry(now time.Time, interval time.Duration) {
	if s.nextRetry = (time.Time{}); interval > 0 {
		s.nextRetry = s.plan.timers.coalesce(now, now.Add(interval))
	}
}

// setEarlier moves the next poll and the next retry forward if they would now be earlier.
func (s *schedule) setEarlier(now time.Time) {
	poll, retry := s.intervals(now)
	s.nextPoll = earliest(s.nextPoll, now.Add(poll))
	if retry > 0 {
		s.nextRetry = earliest(s.nextRetry, now.Add(retry))
	}
	s.setTimer()
}

// readBy moves the next poll, and the next retry if there is one, forward to a time.
func (s *schedule) readBy(at time.Time) {
	s.nextPoll = earliest(s.nextPoll, at)
	if at.Before(s.nextRetry) {
		s.nextRetry = at
	}
	s.setTimer()
}

// retryBy sets the next retry, or moves it forward.
func (s *schedule) retryBy(at time.Time) {
	s.nextRetry = earliest(s.nextRetry, at)
	s.setTimer()
}

// retryNow lets retries not wait for the end of their backoff, which stays as long.
func (s *schedule) retryNow() {
	for _, w := range s.watches {
		w.retry = time.Time{}
	}
}

func (s *schedule) setTimer() { s.plan.timers.set(&s.timer, earliest(s.nextPoll, s.nextRetry)) }

// earliest returns the earlier one of two times, of which one may not be set.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// intervals returns the time until the next poll, and until the next retry, which is 0 if no answer fails.
func (s *schedule) intervals(now time.Time) (poll, retry time.Duration) {
	p := s.plan
	multiple := factor(s.watches[0].subject, s.status, now.Sub(s.active))
	early := min(multiple, failingFactor)
	s.setDemand(1/(multiple*p.interval.Seconds()), 1/(early*p.interval.Seconds()))
	jittered := float64(p.interval*9/10 + p.random.UpTo(p.interval/5))
	poll = time.Duration(multiple * p.budget.slowdown(s.polls.caller, now) * jittered)
	if s.retries.caller != nil {
		retry = time.Duration(early * p.budget.slowdown(s.retries.caller, now) * jittered)
	}
	return poll, retry
}

// fire queues reads that are due. A poll is a read of one watch whose answers do not fail, a retry one of a watch whose
// last read failed, and one of a watch whose answer failed. If all of them are paused, the timer fires again at the end
// of the first pause.
func (s *schedule) fire(now time.Time) {
	for _, w := range s.watches {
		if err := w.paused(now); err != nil && w.err == nil { // because of its token
			w.setError(now, err)
		}
	}
	poll, retry := s.intervals(now)
	reads, nudged := false, s.nudged.Equal(s.nextPoll)
	if !now.Before(s.nextPoll) {
		s.nextPoll = s.plan.timers.coalesce(now, now.Add(poll))
		reads = s.readNext(healthy, nil, nudged, now)
	}
	if !now.Before(s.nextRetry) {
		s.setRetry(now, retry)
		reads = s.readNext(unanswered, nil, false, now) || reads
		reads = s.readNext(failed, nil, false, now) || reads
	}
	if !reads {
		for _, w := range s.watches {
			if from := w.mayReadFrom(); now.Before(from) {
				s.nextRetry = earliest(s.nextRetry, from)
			}
		}
	}
	s.setTimer()
	for _, w := range s.watches {
		w.notifyStale(now)
	}
}

// readNext queues the next watch of those in some conditions, but not a given one. One whose last read has not ended,
// because its reads are slow or wait for others of its caller, is passed over if another one may read. It reports
// whether there is one that need not wait.
func (s *schedule) readNext(of condition, but *watch, urgent bool, now time.Time) bool {
	may := func(w *watch) bool { return w != but && w.condition()&of > 0 && !now.Before(w.mayReadFrom()) }
	next := slices.IndexFunc(s.watches, func(w *watch) bool { return !w.queued && !w.reading && may(w) })
	if next < 0 {
		next = slices.IndexFunc(s.watches, may)
	}
	if next < 0 {
		return false
	}
	w := s.watches[next]
	s.watches = append(slices.Delete(s.watches, next, next+1), w)
	s.plan.read(w, urgent, now)
	return true
}

// readExtra is readNext between polls and retries, because a watch failed or recovered, as far as the budget allows.
func (s *schedule) readExtra(of condition, by *watch, now time.Time) {
	if budget := &s.plan.budget; !now.Before(budget.nextExtra) && s.readNext(of, by, false, now) {
		budget.countExtra(now)
	}
}

// news is what a reading of a watch means for its record.
type news struct {
	first       bool // the watch had no reading before
	significant bool // see watch.updateProgress
	recovered   bool // the last read of the watch failed
}

// update updates the schedule with a reading of one of its watches. It reports whether the other replicas are to be
// hinted at the change.
func (s *schedule) update(w *watch, reading *Reading, is news, now time.Time) (hint bool) {
	newer, known, hinted := reading.Updated.After(s.updated), !s.updated.IsZero(), s.hinted
	s.hinted, s.status = false, reading.Status
	if newer {
		is.significant = is.significant || is.first
		s.updated = reading.Updated
	}
	if is.significant && !is.first { // else the record is not read more often because of it
		s.active = now
	}
	switch soon := s.nextPoll.Sub(now) <= nudgeEvery; {
	case is.first: // the polls of others are not delayed
		s.setEarlier(now)
	case soon: // a nudge may have set it since the read began
	case is.significant, is.recovered:
		s.set(now)
	}
	if is.significant && (newer || !w.propagated) { // newer: another change than the one that was propagated
		s.propagate(w, now)
		hint = !hinted && (known || !is.first)
	}
	if is.recovered { // the next one probably can be read again too
		s.retryNow()
		s.readExtra(failed, w, now)
	}
	return hint
}

// propagate queues a read of every other watch whose token was able to read the record. It passes no data on.
func (s *schedule) propagate(by *watch, now time.Time) {
	for _, w := range s.watches {
		if w != by && !w.read.IsZero() {
			w.propagated = true
			s.plan.read(w, true, now)
		}
	}
}

// nudgeEvery bounds the reads of a record that nudges cause, and maxNudges those of all records in a second.
const (
	nudgeEvery = 250 * time.Millisecond
	maxNudges  = 1000
)

// nudge moves the next read forward to a time, and reports whether it did. If the read sees a change, the other watches
// of the record read too.
func (s *schedule) nudge(at, now time.Time) bool {
	if earliest := s.nudged.Add(nudgeEvery); at.Before(earliest) {
		at = earliest
	}
	if !at.Before(s.nextPoll) {
		return false
	}
	if now.Sub(s.plan.nudgesSince) >= time.Second {
		s.plan.nudgesSince, s.plan.nudges = now, 0
	}
	if s.plan.nudges++; s.plan.nudges > maxNudges {
		return false
	}
	s.nudged = at
	s.retryNow()
	s.readBy(at)
	return true
}
