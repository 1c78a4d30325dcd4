package upstream

import "context"

// turns bound how many calls of an operation are under way at the same time.
type turns chan struct{}

// take waits for a place. Who gets it gives it back by leave.
func (t turns) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) leave() { <-t }
