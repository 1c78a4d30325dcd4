package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// keptCalls bounds the memory of a sandbox that runs for days: at most some 20
// MB of headers, and more calls than any test makes.
const keptCalls = 10_000

// Call is one recorded REST call, whatever its result.
type Call struct {
	Service  string // Core or Dispatcher
	Method   string
	Path     string // escaped, as on the wire
	RawQuery string
	Query    url.Values
	Header   http.Header
	// Status is the status of the response; 0 while the call is open, and if a
	// fault ended the call before a status was sent.
	Status int
	// Started is when the call arrived. Ended is just before the last part of
	// the response was sent, or when the connection was closed. So if a client
	// starts a call after the end of another one, the two calls never overlap
	// here. Ended is zero while the call is open. Both use the real, monotonic
	// clock.
	Started, Ended time.Time
}

// Counters are totals of the calls since Start or the last ResetCalls, which are cheap to read.
type Counters struct {
	Core, Dispatcher int // calls that have arrived
	Open             int // calls that have arrived and not ended, including those from before ResetCalls
	Peak             int // the maximum of Open
}

// recorder keeps the last calls in order of arrival.
type recorder struct {
	mu       sync.Mutex
	ring     []*Call
	arrived  int // since the last reset; the next call goes to ring[arrived % keptCalls]
	ended    int // of the calls since the last reset
	era      int // the number of resets
	counters Counters
	changed  chan struct{} // closed and replaced at each arrival and end
}

func newRecorder() *recorder {
	return &recorder{changed: make(chan struct{})}
}

// begin records the arrival of a call. The returned function records its end when it is called first.
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

// announce wakes all waiters; the caller holds the lock.
func (rec *recorder) announce() {
	close(rec.changed)
	rec.changed = make(chan struct{})
}

// await returns when done returns true; done is called with the lock held.
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
// of arrival, including open ones. Requests below Path are not included. The maps are shared: do not change them.
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

// Counters returns the totals of the calls without copying the calls.
func (s *Sandbox) Counters() Counters {
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	return s.recorder.counters
}

// ResetCalls removes the recorded calls. Calls that are still open continue to count as Open.
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
// with ctx's error. With a Fault's Gate it proves that calls are concurrent:
// hold all of them, wait for them with AwaitCalls, then open the gate.
func (s *Sandbox) AwaitCalls(ctx context.Context, n int) error {
	return s.recorder.await(ctx, func() bool { return s.recorder.arrived >= n })
}

// AwaitEnded returns when n of the calls since Start or ResetCalls have ended,
// or with ctx's error. A call that its client cancelled ends too.
func (s *Sandbox) AwaitEnded(ctx context.Context, n int) error {
	return s.recorder.await(ctx, func() bool { return s.recorder.ended >= n })
}
