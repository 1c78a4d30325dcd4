package quota

import (
	"context"
	"time"
)

// Slot is a unit of a queue for an operation of a caller, which may release it and wait for it again. It belongs to one
// goroutine.
type Slot struct {
	queue  *Queue
	caller string
	held   bool
}

// Slot takes a unit for a caller. It returns false if the caller may not take one now.
func (q *Queue) Slot(caller string) (s Slot, ok bool) {
	ok = q.pool.Take(caller, 1)
	return Slot{q, caller, ok}, ok
}

// Release returns the unit, unless it was returned before.
func (s *Slot) Release() {
	if s.held {
		s.held = false
		s.queue.Release(s.caller)
	}
}

// Retake takes the unit again. It reports whether it got one before ctx ended, and within a time, after which the queue
// is overloaded.
func (s *Slot) Retake(ctx context.Context, within time.Duration) bool {
	s.held = s.queue.Acquire(ctx, s.caller, time.Now().Add(within)) == nil
	return s.held
}
