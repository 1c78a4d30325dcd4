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
//   - A record is the watches of one subject, of all tokens. It schedules their reads. Nothing crosses from one token
//     to another, except that a record was seen to change ("read again now"): the change is propagated.
//   - A poll is a scheduled read, by one watch of a record after the other. A retry is one by a watch whose last read
//     or answer failed. A nudge is a reason from outside to poll earlier.
//   - A pause is the time in which a watch must not read, because an API or the rate limit of its caller asked for it.
//   - The demand of a record is the reads per second that it would have without Config.Polls, the budget.
//   - A timer is one of the timing wheel: the next read of a record, the next heartbeat or the end of a stream.
//
// A method whose name ends with Locked needs Engine.mu. The types wheel, budget, fifo and fairQueue have no lock:
// Engine.mu protects them.
//
// Read Engine.Join first, then Engine.poll, which is one read and what follows from it, then record.fireLocked, which
// decides what is read next.
package live

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
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
	config Config
	ctx    context.Context // of reads; cancelled by Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup // the goroutines of the engine and of its pools

	mu          sync.Mutex
	watches     map[watchKey]*watch
	records     map[watchKey]*record // changed with recordsMu locked too
	recordsMu   sync.RWMutex         // queries look for records with it, since mu is held longer; locked after mu
	hints       map[Hint]string      // the ids of records of all tokens, if replicas hint at them
	tokenLimits map[tokenKey]*tokenLimit
	draining    bool
	wheel       wheel
	readers     map[upstream.Service]*pool[*watch] // so that an API that hangs does not delay reads of the other
	queues      map[upstream.Service]*fairQueue    // of the readers
	pace        pace                               // of the reads that are queued
	senders     pool[*Stream]
	budget      budget
	counts      Stats // the counters
	nudges      int   // since nudgesSince, which is at most a second ago
	nudgesSince time.Time

	streams      atomic.Int64 // changed with mu locked, read without
	limitedUntil atomic.Int64 // the end of the last pause of a token, in nanoseconds of since; also
}

// New returns an engine without streams. It starts no goroutine before the first stream.
func New(config Config) *Engine {
	config = config.withDefaults()
	e := &Engine{
		config: config, watches: map[watchKey]*watch{}, records: map[watchKey]*record{}, hints: map[Hint]string{},
		budget:      budget{polls: partOfPolls * float64(config.Polls), callers: map[string]*caller{}},
		tokenLimits: map[tokenKey]*tokenLimit{}, readers: map[upstream.Service]*pool[*watch]{}, queues: map[upstream.Service]*fairQueue{},
		wheel: wheel{start: time.Now(), wake: make(chan struct{}, 1)}, counts: newStats(), pace: newPace(config.Polls),
	}
	e.pace.timer.fire = e.beginReadsLocked
	for _, service := range []upstream.Service{upstream.Core, upstream.Dispatcher} {
		e.queues[service] = newFairQueue(config.Workers)
		e.readers[service] = &pool[*watch]{
			engine: e, min: minReaders, usual: usualReaders, max: config.Workers,
			queue: e.queues[service], do: e.poll,
		}
	}
	e.senders = pool[*Stream]{
		engine: e, min: minSenders, usual: minSenders, max: config.Streams,
		queue: new(fifo[*Stream]), do: (*Stream).send,
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// Drain ends all streams but multiplexed ones within the given time, each at a random moment, so that their clients do
// not return all at once. New streams are rejected. If multiplexed streams had a moment each, that of a connection with
// many would come at the beginning.
func (e *Engine) Drain(within time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draining = true
	for _, w := range e.watches {
		for _, c := range w.cohorts {
			for s := range c.streams {
				if s.multiplexed {
					continue
				}
				s.expireLocked(time.Now().Add(e.config.Random.UpTo(within)), EndDrain)
			}
		}
	}
}

// Close ends all streams at once and waits for the goroutines of the engine.
func (e *Engine) Close() {
	e.mu.Lock()
	e.draining = true
	for _, w := range e.watches {
		w.endLocked(EndDrain)
	}
	e.mu.Unlock()
	e.cancel()
	e.tasks.Wait()
}

// Limits returns the largest numbers of streams, in all and of one caller.
func (e *Engine) Limits() (streams, ofCaller int) { return e.config.Streams, e.config.StreamsPerCaller }

// Streams returns the number of streams. It costs almost nothing.
func (e *Engine) Streams() int { return int(e.streams.Load()) }
