package client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// The causes of errors of calls that could not be sent.
var (
	ErrQueueTimeout = errors.New("deadline exceeded in the queue: too many calls are in flight")
	ErrQueueFull    = errors.New("the queue is full: too many calls are waiting")
	errNoSpare      = errors.New("no spare call: too many calls are in flight")
	errBreakerOpen  = errors.New("the circuit breaker is open")
)

// queue bounds how many calls of a service are in flight, and how many wait. It is fair between callers: each caller
// has its own line, and the lines are served round robin. When the queue is full, a call of a caller with few waiting
// calls displaces a call of the caller with the most.
//
//   - Key: the service, and for a line the caller.
//   - Bound: maxWaiting waiters, each of 200 bytes; a line has at least one waiter. The slices have at most as much
//     unused capacity. The memory of the waiting operations is bounded by admission.
//   - Filled by: any caller, while limit calls are in flight. One caller can fill it; then calls of other callers
//     displace the last ones of its line.
//   - Emptied by: the end of each call in flight, the deadlines of the waiters, and the opening of the breaker.
type queue struct {
	limit      int // maximum number of calls in flight
	maxWaiting int

	mu       sync.Mutex
	inFlight int
	waiting  int
	lines    []*line // of the callers with waiting calls, in the order of their turns
}

// line is the waiting calls of one caller, the oldest first.
type line struct {
	caller  string
	waiters []*waiter
}

// waiter is one waiting call. ready receives nil when the call may begin, or the reason for its rejection.
type waiter struct{ ready chan error }

// acquire waits until the call may begin, or until the deadline. After success the caller must call release.
func (q *queue) acquire(ctx context.Context, caller string, deadline time.Time) error {
	q.mu.Lock()
	if q.inFlight < q.limit { // the common case, in which no call waits
		q.inFlight++
		q.mu.Unlock()
		return nil
	}
	w, err := q.enqueue(caller)
	q.mu.Unlock()
	if err != nil {
		return err
	}
	expired := time.NewTimer(time.Until(deadline))
	defer expired.Stop()
	select {
	case err := <-w.ready:
		return err
	case <-ctx.Done():
	case <-expired.C:
	}
	q.mu.Lock()
	removed := q.remove(caller, w)
	q.mu.Unlock()
	if !removed && <-w.ready == nil { // the call became ready in the meantime
		q.release()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrQueueTimeout
}

// acquireSpare reports whether a call of low priority may begin: it may take half of the calls in flight, and only
// while no call waits. After success the caller must call release.
func (q *queue) acquireSpare() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inFlight >= (q.limit+1)/2 {
		return false
	}
	q.inFlight++
	return true
}

// release ends a call in flight. The next waiter, if any, begins in its place.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		q.inFlight--
		return
	}
	first := q.lines[0]
	w := first.waiters[0]
	first.waiters = first.waiters[1:]
	q.lines = q.lines[1:]
	if len(first.waiters) > 0 {
		q.lines = append(q.lines, first)
	}
	q.waiting--
	w.ready <- nil
}

// rejectAll rejects all waiters.
func (q *queue) rejectAll(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		for _, w := range l.waiters {
			w.ready <- reason
		}
	}
	q.lines, q.waiting = nil, 0
}

// enqueue appends a call to the line of its caller. If the queue is full, the last waiter of the longest line is
// rejected, which may be the new call itself. The queue is locked.
func (q *queue) enqueue(caller string) (*waiter, error) {
	own := q.lineOf(caller)
	if q.waiting >= q.maxWaiting {
		longest := q.longestLine()
		if longest == nil || len(longest.waiters) <= len(own.waiters)+1 {
			return nil, ErrQueueFull
		}
		last := len(longest.waiters) - 1
		longest.waiters[last].ready <- ErrQueueFull
		longest.waiters = longest.waiters[:last]
		q.waiting--
	}
	w := &waiter{make(chan error, 1)}
	if len(own.waiters) == 0 {
		q.lines = append(q.lines, own)
	}
	own.waiters = append(own.waiters, w)
	q.waiting++
	return w, nil
}

// lineOf returns the line of a caller. If none of its calls waits, the line is new and not yet in q.lines.
func (q *queue) lineOf(caller string) *line {
	for _, l := range q.lines {
		if l.caller == caller {
			return l
		}
	}
	return &line{caller: caller}
}

func (q *queue) longestLine() *line {
	var longest *line
	for _, l := range q.lines {
		if longest == nil || len(l.waiters) > len(longest.waiters) {
			longest = l
		}
	}
	return longest
}

// remove takes a waiter out of its line, and reports whether it was still there. The queue is locked.
func (q *queue) remove(caller string, w *waiter) bool {
	own := q.lineOf(caller)
	at := slices.Index(own.waiters, w)
	if at < 0 {
		return false
	}
	own.waiters = slices.Delete(own.waiters, at, at+1)
	if len(own.waiters) == 0 {
		q.lines = slices.DeleteFunc(q.lines, func(l *line) bool { return l == own })
	}
	q.waiting--
	return true
}

func (q *queue) size() (inFlight, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.inFlight, q.waiting
}
