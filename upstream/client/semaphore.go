package client

import (
	"context"
	"time"
)

// semaphore bounds the number of calls of an operation that are in flight at the same time.
type semaphore chan struct{}

// acquire waits for a slot until the deadline; the zero time is no deadline. After success the caller must call
// release.
func (s semaphore) acquire(ctx context.Context, deadline time.Time) error {
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

func (s semaphore) release() { <-s }
