package live

import (
	"errors"
	"time"
)

// Stream is one subscription of one client. It holds its newest event until that is sent; an older one that was not
// sent is dropped.
type Stream struct {
	engine *Engine // for End
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

func (s *Stream) state() *state { return s.cohort.watch.state }

// Close ends the stream because its client left. It does not wait.
func (s *Stream) Close() { s.End(EndClient) }

// End ends the stream because its connection ends, for the reason of that. It does not wait.
func (s *Stream) End(why End) { s.engine.do(func(time.Time) { s.end(why) }) }

// expire makes the stream end at a time, unless it ends earlier anyway.
func (s *Stream) expire(at time.Time, why End, now time.Time) {
	if s.until.IsZero() || at.Before(s.until) {
		s.until, s.why = at, why
		s.setTimer(now)
	}
}

// setTimer sets the timer for the next heartbeat or the end. The expiry of a token is of the wall clock, which may be
// set, and timers are of the monotonic clock.
func (s *Stream) setTimer(now time.Time) {
	s.state().timers.set(&s.timer, now.Add(earliest(s.nextHeartbeat, s.until).Sub(now)))
}

// fire handles the timer.
func (s *Stream) fire(now time.Time) {
	if !now.Before(s.until) {
		s.end(s.why)
		return
	}
	s.heartbeatDue = true
	s.nextHeartbeat = s.state().timers.coalesce(now, now.Add(s.state().config.Heartbeat))
	s.setTimer(now)
	s.wake()
}

// notify gives the stream an event. One that was not sent yet is replaced: a first answer stays a snapshot, and a
// client that was not notified of an outage is not notified of its end.
func (s *Stream) notify(e Event) {
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
		s.end(EndFinal)
		return
	}
	s.wake()
}

// cancelStale drops a Stale event that was not sent yet, if its client has the answer from before. It reports
// whether it did.
func (s *Stream) cancelStale() bool {
	if s.next == nil || s.next.Reason != Stale || s.behind {
		return false
	}
	s.next, s.stale = nil, false
	return true
}

// end ends the stream. An event that was not sent yet is sent before.
func (s *Stream) end(why End) {
	if s.ended != "" {
		return
	}
	s.ended = why
	s.state().counts.Ends[why]++
	s.state().remove(s)
	s.wake()
}

// wake queues the stream to be sent to.
func (s *Stream) wake() {
	if !s.sending {
		s.sending = true
		s.state().sends.add(line{share: s.cohort.watch.line.share}, s)
	}
}

// run sends until there is nothing to send.
func (s *Stream) run(e *Engine) {
	for {
		var next *Event
		var heartbeat bool
		var ended End
		e.do(func(now time.Time) { next, heartbeat, ended = s.take(now) })
		var err error
		switch {
		case next != nil:
			err = e.guard("stream", func() error { return s.sink.Send(*next) })
		case ended == "" && heartbeat:
			err = e.guard("stream", s.sink.Heartbeat)
		case ended == "":
			return
		}
		if err != nil || ended != "" {
			e.do(func(time.Time) { ended = s.finish(err) })
			_ = e.guard("stream", func() error { s.sink.End(ended); return nil })
			return // sending stays true: nothing is sent after the end
		}
	}
}

// take returns what is to be sent. If that is nothing, the stream is to be queued again.
func (s *Stream) take(now time.Time) (next *Event, heartbeat bool, ended End) {
	next, heartbeat, ended = s.next, s.heartbeatDue, s.ended
	s.next, s.heartbeatDue = nil, false
	if next != nil {
		s.state().counts.sent(next, !s.sent, now)
		s.sent = true
		s.behind = s.behind && next.Answer == nil
	}
	s.sending = next != nil || heartbeat || ended != ""
	return next, heartbeat, ended
}

// finish ends the stream if an event could not be sent, and returns why it ended.
func (s *Stream) finish(err error) End {
	switch {
	case errors.Is(err, errPanic):
		s.end(EndFault)
	case err != nil:
		s.end(EndSlow)
	}
	return s.ended
}
