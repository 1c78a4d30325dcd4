package upstream

import (
	"context"
	"sync"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream/wire"
)

// operation is what the calls of one GraphQL operation share: the bound on how many are under way, how long they may
// take, and the memory of what they read, which is bounded by the account of their request. A nil operation bounds nothing
// and keeps nothing.
type operation struct {
	turns    turns
	deadline time.Time // zero for none
	account  *quota.Account

	mu    sync.Mutex
	busy  int // calls that may still read what they asked for
	ended bool
	read  []answer
}

// answer is a body and what was found in it.
type answer struct {
	body  []byte
	value wire.Value
	taken int // bytes of the account
}

// operationKey is the context key of an operation.
type operationKey struct{}

// WithOperation joins all calls made with the context, or one made from it, to one operation: they share a bound on how
// many are under way at the same time, a deadline beside that of each call (the zero time for none), and their memory, which
// end gives back. After that no record that was read in the operation may be used any more, nor anything that was read from
// one but copies. An operation that never ends is collected as any other memory.
//
// The deadline is no context's: one would cost every operation a timer, and only a call that waits needs one.
func (c *Client) WithOperation(ctx context.Context, deadline time.Time) (joined context.Context, end func()) {
	o := &operation{
		turns: make(turns, c.config.OperationConcurrency), deadline: deadline, account: quota.FromContext(ctx),
	}
	return context.WithValue(ctx, operationKey{}, o), o.end
}

// operationOf is the operation that ctx belongs to, nil when there is none.
func operationOf(ctx context.Context) *operation {
	o, _ := ctx.Value(operationKey{}).(*operation)
	return o
}

// take waits for a turn of the operation, which leave gives back.
func (o *operation) take(ctx context.Context) error {
	if o == nil {
		return nil
	}
	return o.turns.take(ctx, o.deadline)
}

func (o *operation) leave() {
	if o != nil {
		o.turns.leave()
	}
}

// cut is a call's deadline, or the operation's where that is earlier.
func (o *operation) cut(deadline time.Time) (earlier time.Time, hurried bool) {
	if o == nil || o.deadline.IsZero() || !o.deadline.Before(deadline) {
		return deadline, false
	}
	return o.deadline, true
}

// begin says that a call is going to read answers; it must say when it has read them.
func (o *operation) begin() {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.busy++
	o.mu.Unlock()
}

func (o *operation) done() {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.busy--
	o.mu.Unlock()
}

// keep takes an answer's memory into the operation: what was found in a body, and the body unless others read it too. A
// body of several is collected as any other memory. It fails where the request may not hold that much.
func (o *operation) keep(body []byte, own bool, value wire.Value) error {
	if o == nil {
		return nil
	}
	a := answer{body, value, value.Memory()}
	if !own {
		a.body, a.taken = nil, a.taken+len(body)
	}
	if err := o.account.Take(a.taken); err != nil {
		return err
	}
	a.taken += cap(a.body) // was taken as it was read
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.read = append(o.read, a)
	}
	return nil
}

// Abandon keeps the memory of the operation in ctx from being used again: after a panic it may still be read.
func Abandon(ctx context.Context) {
	o := operationOf(ctx)
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended, o.read = true, nil
}

// end gives the memory back. A call that is still under way, since whoever asked for it did not wait, reads on: then
// nothing is given back, and what comes later is kept by nobody.
func (o *operation) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy == 0 && !o.ended {
		for _, a := range o.read {
			a.value.Release()
			buffer.Put(a.body)
			o.account.Return(a.taken)
		}
	}
	o.ended, o.read = true, nil
}
