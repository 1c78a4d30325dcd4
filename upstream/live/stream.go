package live

import (
	"errors"
	"time"
)

// Stream is one subscription of one client. It holds its newest event until that is sent; an older one that was not
// sent is dropped.
type Stream struct {
	engine *Engine
	cohort *cohort
	sink   Sink
	timer  timer

	multiplexed bool // see Request

	// Protected by the mutex of the engine.
	nextHeartbeat time.Time
	until         time.Time // the end of the stream
	why           End       // the reason for that end
	hasAnswer     bool      // whether it got an answer
	behind        bool      // whether its newest answer was not taken to be sent
	sent          bool      // whether an event was taken to be sent
	stale         bool      // whether its last event was Stale
	next          *Event    // not yet sent
	heartbeatDue  bool      // whether a heartbeat is to be sent
	ended         End       // "" while the stream runs
	sending       bool      // whether it is queued to be sent to, or is sent to
}

// Close ends the stream because its client left. It does not wait.
func (s *Stream) Close() { s.End(EndClient) }

// End ends the stream because its connection ends, for the reason of that. It does not wait.
func (s *Stream) End(why End) {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.endLocked(why)
}

// expireLocked makes the stream end at a time, unless it ends earlier anyway.
func (s *Stream) expireLocked(at time.Time, why End) {
	if s.until.IsZero() || at.Before(s.until) {
		s.until, s.why = at, why
		s.scheduleLocked()
	}
}

// scheduleLocked sets the timer for the next heartbeat or the end. The expiry of a token is of the wall clock, which
// may be set, and the wheel turns by the monotonic clock.
func (s *Stream) scheduleLocked() {
	now := time.Now()
	at := s.nextHeartbeat
	if s.until.Before(at) {
		at = s.until
	}
	s.engine.setTimerLocked(&s.timer, now.Add(at.Sub(now)))
}

// fireLocked handles the timer.
func (s *Stream) fireLocked(now time.Time) {
	if !now.Before(s.until) {
		s.endLocked(s.why)
		return
	}
	s.heartbeatDue = true
	s.nextHeartbeat = s.engine.wheel.coalesce(now, now.Add(s.engine.config.Heartbeat))
	s.scheduleLocked()
	s.wakeLocked()
}

// notifyLocked gives the stream an event. One that was not sent yet is replaced: a first answer stays a snapshot, and a
// client that was not notified of an outage is not notified of its end.
func (s *Stream) notifyLocked(e Event) {
	if s.ended != "" {
		return
	}
	switch replaced := s.next; {
	case replaced == nil || e.Reason != Changed && e.Reason != Recovered:
	case !s.sent:
		e.Reason = Snapshot
	case replaced.Reason == Stale:
		e.Reason = Changed
	}
	s.next = &e
	s.stale = e.Reason == Stale
	if e.Answer != nil {
		s.hasAnswer, s.behind = true, true
	}
	if e.Final {
		s.endLocked(EndFinal)
		return
	}
	s.wakeLocked()
}

// cancelStaleLocked drops a Stale event that was not sent yet, if its client has the answer from before. It reports
// whether it did.
func (s *Stream) cancelStaleLocked() bool {
	if s.next == nil || s.next.Reason != Stale || s.behind {
		return false
	}
	s.next, s.stale = nil, false
	return true
}

// endLocked ends the stream. An event that was not sent yet is sent before.
func (s *Stream) endLocked(why End) {
	if s.ended != "" {
		return
	}
	s.ended = why
	s.engine.counts.Ends[why]++
	s.engine.removeLocked(s)
	s.wakeLocked()
}

// wakeLocked queues the stream to be sent to.
func (s *Stream) wakeLocked() {
	if !s.sending {
		s.sending = true
		s.engine.senders.addLocked(s)
	}
}

// send sends until there is nothing to send.
func (s *Stream) send() {
	for {
		next, heartbeat, ended := s.take()
		var err error
		switch {
		case next != nil:
			err = s.engine.guard("stream", func() error { return s.sink.Send(*next) })
		case ended == "" && heartbeat:
			err = s.engine.guard("stream", s.sink.Heartbeat)
		case ended == "":
			return
		}
		if err != nil || ended != "" {
			why := s.finish(err)
			_ = s.engine.guard("stream", func() error { s.sink.End(why); return nil })
			return // sending stays true: nothing is sent after the end
		}
	}
}

// take returns what is to be sent. If that is nothing, the stream is to be queued again.
func (s *Stream) take() (next *Event, heartbeat bool, ended End) {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	next, heartbeat, ended = s.next, s.heartbeatDue, s.ended
	s.next, s.heartbeatDue = nil, false
	if next != nil {
		s.engine.counts.sent(next, !s.sent, time.Now())
		s.sent = true
		s.behind = s.behind && next.Answer == nil
	}
	s.sending = next != nil || heartbeat || ended != ""
	return next, heartbeat, ended
}

// finish ends the stream if an event could not be sent, and returns why it ended.
func (s *Stream) finish(err error) End {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	switch {
	case errors.Is(err, errPanic):
		s.endLocked(EndFault)
	case err != nil:
		s.endLocked(EndSlow)
	}
	return s.ended
}
