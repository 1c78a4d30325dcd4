package quota

import (
	"context"
	"time"
)

// Slot is a unit of a pool for an operation of a caller, which may release it and take it again. It belongs to one
// goroutine.
type Slot struct {
	pool   *Pool
	caller string
	held   bool
}

// Slot takes a unit for a caller. It returns false if the caller may not take one.
func (p *Pool) Slot(caller string) (s Slot, ok bool) {
	ok = p.Take(caller, 1)
	return Slot{p, caller, ok}, ok
}

// Release returns the unit, unless it was returned before.
func (s *Slot) Release() {
	if s.held {
		s.held = false
		s.pool.Return(s.caller, 1)
	}
}

// retakeEvery is the time between two attempts to take units again.
const retakeEvery = 20 * time.Millisecond

// Retake takes the unit again. It reports whether it got one before ctx ended, and within a time, after which the pool
// is overloaded. Few operations need more than one attempt: executing an operation after its wait takes about a
// millisecond.
func (s *Slot) Retake(ctx context.Context, within time.Duration) bool {
	s.held = await(ctx, within, func() bool { return s.pool.Retake(s.caller, 1) })
	return s.held
}

// await calls take until it succeeds, ctx ends, or a time is over.
func await(ctx context.Context, within time.Duration, take func() bool) bool {
	if take() {
		return true
	}
	ticker, late := time.NewTicker(retakeEvery), time.NewTimer(within)
	defer ticker.Stop()
	defer late.Stop()
	for {
		select {
		case <-ticker.C:
			if take() {
				return true
			}
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
