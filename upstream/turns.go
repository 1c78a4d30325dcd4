package upstream

import "context"

// operationKey is the context key of an operation's turns.
type operationKey struct{}

// WithOperation bounds the calls that one GraphQL operation has under way at the same time: all calls made with the
// context, or one made from it, share the bound.
func (c *Client) WithOperation(ctx context.Context) context.Context {
	return context.WithValue(ctx, operationKey{}, make(chan struct{}, c.config.OperationConcurrency))
}

// operationTurns are the turns of the operation that ctx belongs to, nil when there is none.
func operationTurns(ctx context.Context) chan struct{} {
	turns, _ := ctx.Value(operationKey{}).(chan struct{})
	return turns
}

// takeTurns waits for a place in each of the bounds, in their order, and returns what gives the places back.
// A nil bound is none.
func takeTurns(ctx context.Context, bounds ...chan struct{}) (done func(), err error) {
	taken := bounds[:0:0]
	done = func() {
		for _, turns := range taken {
			<-turns
		}
	}
	for _, turns := range bounds {
		if turns == nil {
			continue
		}
		select {
		case turns <- struct{}{}:
			taken = append(taken, turns)
		case <-ctx.Done():
			done()
			return nil, ctx.Err()
		}
	}
	return done, nil
}
