// Package live notifies streams of changes of records. It polls the REST APIs, with the token of each stream, as rarely
// as the streams together allow: streams that ask for the same thing with the same token share one read and one answer.
//
// It knows neither GraphQL nor a protocol: a stream brings a function that computes an answer from a record, and a Sink
// that sends events. It stores no record: an answer is kept until the next one.
//
// Its words, from the outside in:
//
//   - A stream is one subscription of one client.
//   - A cohort is the streams with the same answer. The answer is computed once for all of them.
//   - A watch is the cohorts of one token and one Subject. It is what reads.
//   - A record is the watches of one subject, of all tokens. Its schedule decides when they read. Nothing crosses from
//     one token to another, except that a record was seen to change ("read again now"): the change is propagated.
//   - A poll is a scheduled read, by one watch of a record after the other. A retry is one by a watch whose last read
//     or answer failed. A nudge is a reason from outside to poll earlier.
//   - A pause is the time in which a watch must not read, because an API or the rate limit of its caller asked for it.
//   - The demand of a record is the reads per second that it would have without Config.Polls, the budget.
//   - A timer is the next read of a record, the next heartbeat or the end of a stream.
//
// What the engine knows is a state machine, of the type state: it has no clock, no lock and no goroutine. Its methods
// and those of its parts get what happened and when, and add to its queues what is to be read and sent. The Engine
// has what runs: the lock, one timer for all timers of the state, and the goroutines of the queues.
//
// Read state.begin first, then watch.run, which is one read and what follows from it, then schedule.fire, which decides
// what is read next.
package live

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"pixgraph/upstream"
)

// The errors of Join.
var (
	ErrTooMany         = errors.New("too many streams")
	ErrTooManyOfCaller = errors.New("too many streams of one caller")
	ErrDraining        = errors.New("the gateway is shutting down")
)

// Engine polls records and notifies streams. It must be closed.
//
//   - Key: a watch by the SHA-256 of the token and the subject; a cohort by the text of the document, the operation and
//     the variables besides; a record by the subject, or by token and subject for lists, which differ by caller, and
//     before the first reading.
//   - Bound: Config.Streams streams, Config.StreamsPerCaller of one caller. A stream has a cohort, a watch, a
//     tokenLimit and a record at most: 1 KiB with the map entries, in addition to its token, its arguments, and the
//     last answer of at most keptAnswer bytes. In a fleet a record has 100 bytes more.
//   - Filled by: any caller, with each stream.
//   - Emptied by: the end of the stream: by its client, its final event, the expiry of its token, its lifetime, or
//     drain. The last stream of a cohort, watch, tokenLimit or record removes that too.
type Engine struct {
	ctx    context.Context // of reads; cancelled by Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup // the goroutines of the pools

	mu sync.Mutex // protects the fields below, and what they refer to
	*state
	pools []*pool     // of reads for each API, so that one that hangs does not delay those of the other; of sends
	timer *time.Timer // calls tick
	until int64       // when it does; never if it is not set
}

// New returns an engine without streams. It starts no goroutine before the first stream.
func New(config Config) *Engine {
	e := &Engine{state: newState(config.withDefaults(), time.Now()), until: never}
	e.timer = time.AfterFunc(never, e.tick)
	e.timer.Stop() // until there is a stream
	for _, service := range []upstream.Service{upstream.Core, upstream.Dispatcher} {
		e.pools = append(e.pools, newPool(e.reads[service], &e.timers, minReaders, usualReaders, e.config.Workers))
	}
	e.pools = append(e.pools, newPool(&e.sends, &e.timers, minSenders, minSenders, e.config.Streams))
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// Join begins a stream. Its first event is sent as soon as the subject was read.
func (e *Engine) Join(request Request) (s *Stream, err error) {
	e.do(func(now time.Time) {
		if s, err = e.begin(&request, now); err == nil {
			s.engine = e
		}
	})
	return s, err
}

// Drain ends all streams but multiplexed ones within the given time, each at a random moment, so that their clients do
// not return all at once. New streams are rejected. If multiplexed streams had a moment each, that of a connection with
// many would come at the beginning.
func (e *Engine) Drain(within time.Duration) {
	e.do(func(now time.Time) { e.drain(within, now) })
}

// Close ends all streams at once and waits for the goroutines of the engine.
func (e *Engine) Close() {
	e.do(func(time.Time) { e.endAll() })
	e.cancel()
	e.tasks.Wait()
}

// Accepted ends the pause of a token, given as its SHA-256: an API has answered a query with it. The engine may be nil.
func (e *Engine) Accepted(service upstream.Service, token [sha256.Size]byte) {
	now := time.Now()
	if e == nil || e.since(now) >= e.limitedUntil.Load() { // nearly always: no token is limited
		return
	}
	e.do(func(now time.Time) {
		if l := e.limits[tokenKey{string(token[:]), service}]; l != nil {
			e.resume(l, now)
		}
	})
}

// Limits returns the largest numbers of streams, in all and of one caller.
func (e *Engine) Limits() (streams, ofCaller int) { return e.config.Streams, e.config.StreamsPerCaller }

// Streams returns the number of streams. It costs almost nothing.
func (e *Engine) Streams() int { return int(e.streams.Load()) }

// do changes the state. Then it starts goroutines for what is to be done, and sets the timer to the next tick.
func (e *Engine) do(change func(now time.Time)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	change(now)
	for _, p := range e.pools {
		for range p.start(now) {
			e.tasks.Go(func() { e.work(p) })
		}
	}
	switch next := e.timers.next(); next {
	case e.until:
	case never:
		e.until = never
		e.timer.Stop()
	default:
		e.until = next
		e.timer.Reset(time.Until(e.timers.time(next)))
	}
}

// tick fires the timers that are due.
func (e *Engine) tick() {
	e.do(func(now time.Time) {
		e.until = never
		e.timers.advance(now)
	})
}
