package live

import (
	"context"
	"slices"
	"time"
)

// Request is a new stream.
type Request struct {
	Token   Token
	Subject Subject
	Until   Until
	// Answer identifies the answer among those of the same caller and subject: the text of the document, the operation
	// and the variables.
	Answer string
	// Execute computes the answer to a reading. It must not depend on this stream: it serves all streams of the cohort,
	// also after this one ended. Its result is not modified later. Without Execute, the stream gets no event before its
	// final one, which has the reading.
	//
	// An error is temporary, so a later reading is executed even if the record has not changed: the next one without an
	// answer, as if the read had failed, and with an incomplete answer one after Config.StaleAfter.
	Execute func(context.Context, *Reading) (answer []byte, err error)
	// Calls is the number of calls that Execute may make. The first answer is paid for, as is the read before it; each
	// later one is paid for when a read has found a reason for it.
	Calls int
	Sink  Sink
	// Multiplexed says that the connection of the stream may have other streams: it ends them together, when it has
	// reached its lifetime, and while the gateway drains.
	Multiplexed bool
}

// Join begins a stream. Its first event is sent as soon as the subject was read.
func (e *Engine) Join(request Request) (*Stream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	by := e.budget.callers[request.Token.Caller]
	switch {
	case e.draining:
		return nil, ErrDraining
	case e.Streams() >= e.config.Streams:
		return nil, ErrTooMany
	case by == nil:
		by = &caller{}
		e.budget.callers[request.Token.Caller] = by
	case by.streams >= e.config.StreamsPerCaller:
		return nil, ErrTooManyOfCaller
	}
	by.streams++
	now := time.Now()
	w := e.watchOfLocked(&request, by, now)
	c := w.cohortOfLocked(&request)
	s := &Stream{
		engine: e, cohort: c, sink: request.Sink, nextHeartbeat: now.Add(e.config.Heartbeat), multiplexed: request.Multiplexed,
	}
	s.timer.fire = s.fireLocked
	c.streams[s], c.paid = struct{}{}, true
	e.streams.Add(1)
	lifetime := e.config.Lifetime
	if !s.multiplexed {
		lifetime -= e.config.Random.UpTo(lifetime / 10)
	}
	s.expireLocked(now.Add(lifetime), EndLifetime)
	if !request.Token.Expires.IsZero() {
		s.expireLocked(request.Token.Expires, EndExpired)
	}
	switch current := w.wasReadLocked() && now.Sub(w.read) < e.config.Interval && c.failing.IsZero(); {
	case current && c.last != nil && now.Sub(c.at.Observed) < e.config.Interval: // else linked records may have changed
		first := c.at
		first.Reason, first.Answer, first.Next = Snapshot, c.last, ahead(now, w.record.nextPoll)
		s.notifyLocked(first)
	case current && c.read && c.execute == nil: // the last reading had not reached its Until
	default:
		w.enqueueLocked(true)
	}
	return s, nil
}

// watchOfLocked returns the watch of a request, which is new if it is the first of its token and subject.
func (e *Engine) watchOfLocked(request *Request, by *caller, now time.Time) *watch {
	key := watchKey{request.Token.Key, request.Subject.Route, request.Subject.Target}
	w := e.watches[key]
	if w == nil {
		w = &watch{
			engine: e, key: key, token: request.Token, subject: request.Subject, caller: by,
		}
		e.addToLimitLocked(w, tokenKey{key.token, request.Subject.service()})
		e.watches[key] = w
		e.addWatchLocked(w, key, now)
	}
	w.record.active = now
	w.record.scheduleEarlierLocked(now)
	return w
}

// removeLocked removes a stream that ended, with the cohort, the watch and the record that it leaves without streams.
func (e *Engine) removeLocked(s *Stream) {
	e.wheel.cancel(&s.timer)
	c := s.cohort
	w := c.watch
	delete(c.streams, s)
	e.streams.Add(-1)
	if w.caller.streams--; w.caller.streams == 0 {
		delete(e.budget.callers, w.token.Caller)
	}
	if len(c.streams) == 0 {
		at := slices.Index(w.cohorts, c)
		w.cohorts = slices.Concat(w.cohorts[:at], w.cohorts[at+1:])
	}
	if len(w.cohorts) == 0 {
		delete(e.watches, w.key)
		e.pace.waiting.remove(w)
		e.queues[w.subject.service()].remove(w)
		e.dropLimitLocked(w)
		e.removeWatchLocked(w)
	}
}
