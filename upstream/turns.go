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

// takeTurn waits for a place in a bound, and returns what gives the place back. A nil bound is none.
func takeTurn(ctx context.Context, turns chan struct{}) (leave func(), err error) {
	if turns == nil {
		return func() {}, nil
	}
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
