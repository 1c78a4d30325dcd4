package client

import (
	"context"
	"time"
)

// turns bound how many calls of an operation are under way at the same time.
type turns chan struct{}

// take waits for a place, until a deadline; the zero time is none. Who gets it gives it back by leave.
func (t turns) take(ctx context.Context, deadline time.Time) error {
	select {
	case t <- struct{}{}: // as nearly always
		return nil
	default:
	}
	var late <-chan time.Time
	if !deadline.IsZero() {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
		return context.DeadlineExceeded
	}
}

func (t turns) leave() { <-t }
