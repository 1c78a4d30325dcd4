package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// keptCalls bounds the memory of a sandbox that runs for days: some 20 MB of
// headers at most, and more calls than any test makes.
const keptCalls = 10_000

// Call is one REST call as it arrived, whatever became of it.
type Call struct {
	Service  string // Core or Dispatcher
	Method   string
	Path     string // escaped, as on the wire
	RawQuery string
	Query    url.Values
	Header   http.Header
	// Status is what was answered; 0 while the call is open and when a fault
	// killed it before a status was sent.
	Status int
	// Started is when the call arrived; Ended is just before the last part of
	// its answer went out (so a client that saw the end of one call and then
	// began another never sees them overlap), or when it was cut. Zero while
	// the call is open. Both are of the real, monotonic clock.
	Started, Ended time.Time
}

// Counters are cheap totals of the calls since Start or the last ResetCalls.
type Counters struct {
	Core, Dispatcher int // calls arrived
	Open             int // arrived and not ended; also those from before ResetCalls
	Peak             int // the largest Open there was
}

// recorder keeps the last calls in order of arrival.
type recorder struct {
	mu       sync.Mutex
	ring     []*Call
	arrived  int // since reset; the next call goes to ring[arrived % keptCalls]
	ended    int // of those arrived since reset
	era      int // counts resets
	counters Counters
	changed  chan struct{} // closed and replaced at each arrival and end
}

func newRecorder() *recorder {
	return &recorder{changed: make(chan struct{})}
}

// begin records the arrival of a call; the returned function records its end,
// the first time it is called.
func (rec *recorder) begin(service string, r *http.Request) (end func(status int)) {
	call := &Call{
		Service:  service,
		Method:   r.Method,
		Path:     r.URL.EscapedPath(),
		RawQuery: r.URL.RawQuery,
		Query:    r.URL.Query(),
		Header:   r.Header.Clone(),
		Started:  time.Now(),
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.ring) < keptCalls {
		rec.ring = append(rec.ring, call)
	} else {
		rec.ring[rec.arrived%keptCalls] = call
	}
	rec.arrived++
	if service == Core {
		rec.counters.Core++
	} else {
		rec.counters.Dispatcher++
	}
	rec.counters.Open++
	rec.counters.Peak = max(rec.counters.Peak, rec.counters.Open)
	rec.announce()
	era := rec.era
	return func(status int) { rec.end(call, era, status) }
}

func (rec *recorder) end(call *Call, era, status int) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !call.Ended.IsZero() {
		return
	}
	call.Status, call.Ended = status, time.Now()
	rec.counters.Open--
	if era == rec.era {
		rec.ended++
	}
	rec.announce()
}

// announce wakes all who wait; the caller holds the lock.
func (rec *recorder) announce() {
	close(rec.changed)
	rec.changed = make(chan struct{})
}

// await returns when done says so; done runs under the lock.
func (rec *recorder) await(ctx context.Context, done func() bool) error {
	for {
		rec.mu.Lock()
		ok, changed := done(), rec.changed
		rec.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Calls returns the last 10,000 REST calls since Start or ResetCalls in order
// of arrival, open ones too. Calls of the control route and of the issuer are
// not among them. The maps are shared: read them only.
func (s *Sandbox) Calls() []Call {
	rec := s.recorder
	rec.mu.Lock()
	defer rec.mu.Unlock()
	first := 0
	if rec.arrived > keptCalls {
		first = rec.arrived % keptCalls
	}
	calls := make([]Call, len(rec.ring))
	for i := range calls {
		calls[i] = *rec.ring[(first+i)%len(rec.ring)]
	}
	return calls
}

// Counters returns the totals of the calls without copying any.
func (s *Sandbox) Counters() Counters {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	return s.recorder.counters
}

// ResetCalls forgets the calls so far. Those still open keep counting as Open.
func (s *Sandbox) ResetCalls() {
	rec := s.recorder
	rec.mu.Lock()
	defer rec.mu.Unlock()
	open := rec.counters.Open
	rec.ring, rec.arrived, rec.ended = nil, 0, 0
	rec.era++
	rec.counters = Counters{Open: open, Peak: open}
}

// AwaitCalls returns when n calls have arrived since Start or ResetCalls, or
// with ctx's error. With a Fault's Gate it proves that calls overlap: hold all
// of them, await them, open the gate.
func (s *Sandbox) AwaitCalls(ctx context.Context, n int) error {
	return s.recorder.await(ctx, func() bool { return s.recorder.arrived >= n })
}

// AwaitEnded returns when n of the calls since Start or ResetCalls have ended,
// or with ctx's error: a call that its client has given up ends too.
func (s *Sandbox) AwaitEnded(ctx context.Context, n int) error {
	return s.recorder.await(ctx, func() bool { return s.recorder.ended >= n })
}
