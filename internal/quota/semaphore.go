package quota

import (
	"context"
	"time"
)

// Semaphore bounds the number of calls of an operation, or of a connection, that are in flight at the same time.
type Semaphore chan struct{}

// Acquire waits for a slot until the deadline; the zero time is no deadline. After success the caller must call
// Release.
func (s Semaphore) Acquire(ctx context.Context, deadline time.Time) error {
	select {
	case s <- struct{}{}: // the common case
		return nil
	default:
	}
	var expired <-chan time.Time
	if !deadline.IsZero() {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-expired:
		return context.DeadlineExceeded
	}
}

// Release returns a slot.
func (s Semaphore) Release() { <-s }
