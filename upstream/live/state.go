package live

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// state is what the engine knows: the streams, and what they watch.
type state struct {
	config   Config
	draining bool
	watches  map[watchKey]*watch
	records  records
	hints    map[Hint]string // the ids of records of all tokens, if replicas hint at them
	limits   map[tokenKey]*tokenLimit
	plan                                     // of the reads
	pace     pace                            // of the reads that are due
	reads    map[upstream.Service]*fairQueue // that may begin
	sends    fairQueue                       // streams to send to
	counts   Stats                           // the counters

	// Changed by the engine, and read at any time.
	streams      atomic.Int64
	limitedUntil atomic.Int64 // the end of the last pause of a token, in nanoseconds of since
}

func newState(config Config, now time.Time) *state {
	st := &state{
		config: config, watches: map[watchKey]*watch{}, records: records{byKey: map[watchKey]*record{}}, hints: map[Hint]string{},
		limits: map[tokenKey]*tokenLimit{}, pace: newPace(config.Polls), counts: newStats(),
		reads: map[upstream.Service]*fairQueue{
			upstream.Core:       {running: quota.NewPool(int64(config.Workers), 1)},
			upstream.Dispatcher: {running: quota.NewPool(int64(config.Workers), 1)},
		},
		plan: plan{
			interval: config.Interval, random: config.Random, timers: timers{start: now},
			budget: budget{polls: partOfPolls * float64(config.Polls), callers: map[string]*caller{}},
		},
	}
	st.read, st.pace.timer.fire = st.enqueue, st.beginReads
	return st
}

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

// begin begins a stream.
func (st *state) begin(request *Request, now time.Time) (*Stream, error) {
	by := st.budget.callers[request.Token.Caller]
	switch {
	case st.draining:
		return nil, ErrDraining
	case int(st.streams.Load()) >= st.config.Streams:
		return nil, ErrTooMany
	case by == nil:
		by = &caller{}
		st.budget.callers[request.Token.Caller] = by
	case by.streams >= st.config.StreamsPerCaller:
		return nil, ErrTooManyOfCaller
	}
	by.streams++
	w := st.watchOf(request, by, now)
	c := w.cohortOf(request)
	s := &Stream{
		cohort: c, sink: request.Sink, nextHeartbeat: now.Add(st.config.Heartbeat), multiplexed: request.Multiplexed,
	}
	s.timer.fire = s.fire
	c.streams[s], c.paid = struct{}{}, true
	st.streams.Add(1)
	lifetime := st.config.Lifetime
	if !s.multiplexed {
		lifetime -= st.random.UpTo(lifetime / 10)
	}
	s.expire(now.Add(lifetime), EndLifetime, now)
	if !request.Token.Expires.IsZero() {
		s.expire(request.Token.Expires, EndExpired, now)
	}
	switch current := !w.read.IsZero() && now.Sub(w.read) < st.interval && c.failing.IsZero(); {
	case current && c.last != nil && now.Sub(c.at.Observed) < st.interval: // else linked records may have changed
		first := c.at
		first.Reason, first.Answer, first.Next = Snapshot, c.last, ahead(now, w.record.nextPoll)
		s.notify(first)
	case current && c.read && c.execute == nil: // the last reading had not reached its Until
	default:
		st.enqueue(w, true, now)
	}
	return s, nil
}

// watchOf returns the watch of a request, which is new if it is the first of its token and subject.
func (st *state) watchOf(request *Request, by *caller, now time.Time) *watch {
	key := watchKey{request.Token.Key, request.Subject.Route, request.Subject.Target}
	w := st.watches[key]
	if w == nil {
		w = &watch{state: st, key: key, token: request.Token, subject: request.Subject, caller: by}
		st.addToLimit(w, tokenKey{key.token, request.Subject.service()})
		st.watches[key] = w
		st.addWatch(w, key, now)
	}
	w.record.joined(now)
	return w
}

// remove removes a stream that ended, with the cohort, the watch and the record that it leaves without streams.
func (st *state) remove(s *Stream) {
	st.timers.cancel(&s.timer)
	c := s.cohort
	w := c.watch
	delete(c.streams, s)
	st.streams.Add(-1)
	if w.caller.streams--; w.caller.streams == 0 {
		delete(st.budget.callers, w.token.Caller)
	}
	if len(c.streams) == 0 {
		at := slices.Index(w.cohorts, c)
		w.cohorts = slices.Concat(w.cohorts[:at], w.cohorts[at+1:])
	}
	if len(w.cohorts) == 0 {
		delete(st.watches, w.key)
		st.pace.waiting.remove(w.line, w)
		st.reads[w.subject.service()].remove(w.line, w)
		st.dropLimit(w)
		st.removeWatch(w)
	}
}

// drain ends all streams but multiplexed ones within a time, and rejects new ones.
func (st *state) drain(within time.Duration, now time.Time) {
	st.draining = true
	for _, w := range st.watches {
		for _, c := range w.cohorts {
			for s := range c.streams {
				if !s.multiplexed {
					s.expire(now.Add(st.random.UpTo(within)), EndDrain, now)
				}
			}
		}
	}
}

// endAll ends all streams, and rejects new ones.
func (st *state) endAll() {
	st.draining = true
	for _, w := range st.watches {
		w.end(EndDrain)
	}
}
