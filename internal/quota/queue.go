package quota

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The reasons for which a caller gets no unit of a queue.
var (
	ErrQueueTimeout = errors.New("deadline exceeded in the queue: too many calls are in flight")
	ErrQueueFull    = errors.New("the queue is full: too many calls are waiting")
)

// Queue hands out the units of a pool, and lets callers wait for them, in Lines. A caller that holds its share waits,
// while others are served. When the queue is full, a waiter of a caller with few waiters displaces one of the caller
// with the most.
//
//   - Key: for a line, the caller.
//   - Bound: maxWaiting waiters, each of 200 bytes; a line has at least one waiter. The slices have at most as much
//     unused capacity. The memory of the waiting operations is bounded by admission.
//   - Filled by: any caller, while the units that it may hold are taken. One caller can fill it; then waiters of other
//     callers displace the last ones of its line.
//   - Emptied by: the end of what holds a unit, the deadlines of the waiters, and RejectAll.
type Queue struct {
	maxWaiting int                                   // 0 is no limit
	admits     func(caller string, units int64) bool // takes units, if the caller may have them. The pool is locked
	reclaim    func() bool                           // returns a unit that is held and not used; nil for none. The pool is locked

	mu     *sync.Mutex // that of the pool
	pool   *Pool
	lines  Lines[*waiter]
	served uint64 // waiters that got their units
}

// NewQueue returns a queue for units, in which at most maxWaiting callers wait; 0 is no limit.
func NewQueue(units, maxWaiting int) *Queue {
	pool := NewPool(int64(units), 1)
	return pool.queue(maxWaiting, pool.take)
}

// queue returns a queue for the units of the pool, which are also returned to the pool itself.
func (p *Pool) queue(maxWaiting int, admits func(caller string, units int64) bool) *Queue {
	q := &Queue{maxWaiting: maxWaiting, admits: admits, mu: &p.mu, pool: p}
	p.returned = q.serve
	return q
}

// waiter is one that waits for units. ready receives nil when it has them, or the reason for its rejection.
type waiter struct {
	units int64
	ready chan error
}

// Acquire waits for a unit until the end of ctx or the deadline, whose zero value is none. After success the caller
// must call Release.
func (q *Queue) Acquire(ctx context.Context, caller string, deadline time.Time) error {
	q.mu.Lock()
	if q.take(caller) { // the common case
		q.mu.Unlock()
		return nil
	}
	w, err := q.enqueue(caller, 1)
	q.mu.Unlock()
	if err != nil {
		return err
	}
	var within time.Duration
	if !deadline.IsZero() {
		within = max(1, time.Until(deadline))
	}
	return q.wait(ctx, caller, w, within)
}

// take takes a unit, if one is free or can be reclaimed. The queue is locked.
func (q *Queue) take(caller string) bool {
	for !q.admits(caller, 1) {
		if q.reclaim == nil || !q.reclaim() {
			return false
		}
	}
	return true
}

// wait waits until a waiter has a unit. within is the longest time; 0 is no limit.
func (q *Queue) wait(ctx context.Context, caller string, w *waiter, within time.Duration) error {
	var expired <-chan time.Time
	if within > 0 {
		timer := time.NewTimer(within)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case err := <-w.ready:
		return err
	case <-ctx.Done():
	case <-expired:
	}
	q.mu.Lock()
	removed := q.lines.Remove(caller, w)
	q.mu.Unlock()
	if !removed && <-w.ready == nil { // it became ready in the meantime
		q.pool.Return(caller, w.units)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrQueueTimeout
}

// Release returns a unit of a caller. The next waiter that may have it gets it.
func (q *Queue) Release(caller string) { q.pool.Return(caller, 1) }

// release is Release while the queue is locked.
func (q *Queue) release(caller string) { q.pool.put(caller, 1) }

// serve gives the free units to the waiters that may have them. The queue is locked.
func (q *Queue) serve() {
	for q.pool.free() {
		w, ok := q.lines.Next(func(caller string, w *waiter) (admitted, stop bool) {
			admitted = q.admits(caller, w.units)
			// A caller that holds its share keeps its turn. One that holds nothing needs more than there is: it would
			// never get that if others were served meanwhile.
			return admitted, !admitted && q.pool.callers[caller].running() == 0
		})
		if !ok {
			return
		}
		q.served++
		w.ready <- nil
	}
}

// RejectAll rejects all waiters.
func (q *Queue) RejectAll(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.lines.Len() > 0 {
		w, _ := q.lines.Next(func(string, *waiter) (admitted, stop bool) { return true, false })
		w.ready <- reason
	}
}

// enqueue appends a waiter to the line of its caller. If the queue is full, the last waiter of the longest line is
// rejected, which may be the new one itself. The queue is locked.
func (q *Queue) enqueue(caller string, units int64) (*waiter, error) {
	if q.maxWaiting > 0 && q.lines.Len() >= q.maxWaiting {
		displaced, ok := q.lines.displace(caller)
		if !ok {
			return nil, ErrQueueFull
		}
		displaced.ready <- ErrQueueFull
	}
	w := &waiter{units, make(chan error, 1)}
	q.lines.Add(caller, w)
	return w, nil
}

// Size returns the number of units held, and that of waiters.
func (q *Queue) Size() (held, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int(q.pool.used), q.lines.Len()
}

// Used returns the number of units held, and that of refusals.
func (q *Queue) Used() (units int64, refused uint64) { return q.pool.Used() }
