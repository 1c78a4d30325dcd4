package upstream

import (
	"context"
	"time"
)

// turns bound how many calls are under way at the same time. Nil is no bound.
type turns chan struct{}

// operationKey is the context key of an operation's turns.
type operationKey struct{}

// WithOperation bounds the calls that one GraphQL operation has under way at the same time: all calls made with the
// context, or one made from it, share the bound.
func (c *Client) WithOperation(ctx context.Context) context.Context {
	return context.WithValue(ctx, operationKey{}, make(turns, c.config.OperationConcurrency))
}

// operationTurns are the turns of the operation that ctx belongs to, nil when there is none.
func operationTurns(ctx context.Context) turns {
	t, _ := ctx.Value(operationKey{}).(turns)
	return t
}

// take waits for a place, until the deadline where there is one. Who gets it gives it back by leave.
func (t turns) take(ctx context.Context, deadline time.Time) error {
	if t == nil {
		return nil
	}
	select {
	case t <- struct{}{}: // as nearly always, and without the cost of a deadline
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

func (t turns) leave() {
	if t != nil {
		<-t
	}
}
