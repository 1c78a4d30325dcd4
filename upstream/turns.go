package upstream

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
	if !deadline.IsZero() {
		limited, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		ctx = limited
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) leave() { <-t }
