package websocket

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/request"
	"pixgraph/serve/message"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

const (
	// maxExecuting bounds the operations of a connection that are executed or answered at a time, with those that their
	// client has completed: a client that does not read cannot begin more and more of them. HTTP/2 allows as many.
	// Streams that have begun are not among them: they count for their caller, as those of other protocols.
	maxExecuting = 100
	// slotTimeout is the time without a slot after which operations are rejected. Until then the connection reads no
	// further messages, so that a page may begin hundreds of streams at once.
	slotTimeout = time.Second
)

// operation is a query or a subscription of a connection. As a live.Sink it sends the events of its stream.
type operation struct {
	conn *connection
	id   string
	call *request.Call

	// Set before the stream begins.
	ctx context.Context // for presenting errors
	key string          // the response key of the subscription's field

	// Protected by the mutex of the connection.
	cancel context.CancelFunc // ends the context of the operation, which a stream does not hold
	stream *live.Stream       // nil before it begins, and of a query
	ended  bool               // whether nothing more may be sent
}

// subscribe starts the operation of a subscribe message in a goroutine, which ends its call. It reports whether it did.
func (c *connection) subscribe(ctx context.Context, call *request.Call, m message.WebSocket) (started bool, err error) {
	params, err := c.parsePayload(ctx, call, m.Payload)
	o := &operation{conn: c, id: m.ID, call: call}
	c.mu.Lock()
	other := c.operations[m.ID]
	same := other != nil && !other.ended // the client may know that it has ended before it is removed
	c.mu.Unlock()                        // only this goroutine adds operations
	refused := cmp.Or(apierror.Of(err), run.ErrInternal)
	switch {
	case err != nil && refused.Code != apierror.LimitExceeded:
		return false, closeInvalid
	case same:
		return false, closeSameID
	case err == nil && !c.takeSlot():
		refused = errManyOperations
		fallthrough
	case err != nil:
		return false, o.send("error", gqlerror.List{c.transport.runner.Present(ctx, refused)})
	}
	ctx, o.cancel = context.WithCancel(ctx)
	c.mu.Lock()
	c.operations[m.ID] = o
	c.mu.Unlock()
	c.transport.tasks.Go(func() { o.execute(ctx, params) })
	return true, nil
}

// takeSlot takes the slot of an operation. It waits for one, but not if it has just waited in vain: a connection that
// is full answers pings.
func (c *connection) takeSlot() bool {
	deadline := time.Now()
	if !c.full {
		deadline = deadline.Add(slotTimeout)
	}
	c.full = c.slots.Acquire(context.Background(), deadline) != nil
	return !c.full
}

// complete ends an operation that its client no longer wants. An unknown id is no error: both sides may end operations.
func (c *connection) complete(id string) {
	c.mu.Lock()
	o := c.operations[id]
	c.mu.Unlock()
	if o != nil {
		o.end(live.EndClient)
	}
}

// endOperations ends all operations, and their streams for a reason.
func (c *connection) endOperations(why live.End) {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.operations))
	c.mu.Unlock()
	for _, o := range all {
		o.end(why)
	}
}

// end ends an operation, and its stream for a reason. Nothing more is sent for it.
func (o *operation) end(why live.End) {
	c := o.conn
	c.mu.Lock()
	stream, cancel := o.stream, o.cancel
	o.ended = true
	if c.operations[o.id] == o {
		delete(c.operations, o.id)
	}
	c.mu.Unlock()
	cancel()
	if stream != nil {
		stream.End(why)
	}
}

// hasEnded reports whether nothing more may be sent.
func (o *operation) hasEnded() bool {
	o.conn.mu.Lock()
	defer o.conn.mu.Unlock()
	return o.ended
}

// execute runs the operation, and then ends its call: when a query is answered, or when a subscription has begun.
func (o *operation) execute(ctx context.Context, params *graphql.RawParams) {
	defer func() {
		o.call.Account.Release()
		o.conn.slots.Release()
	}()
	runner := o.conn.transport.runner
	defer func() {
		if panicked := recover(); panicked != nil {
			o.fail(gqlerror.List{runner.Panicked(ctx, panicked)})
		}
	}()
	ctx, reasons, response, err := runner.Run(ctx, o.call, o, params)
	switch {
	case o.hasEnded(): // its client no longer wants it
	case err != nil:
		o.fail(gqlerror.List{runner.Present(ctx, cmp.Or(apierror.Of(err), run.ErrInternal))})
	case o.ctx != nil && len(reasons) == 0: // a stream has begun
	case response == nil || len(response.Data) == 0 && len(response.Errors) == 0:
		o.fail(gqlerror.List{runner.Present(ctx, run.ErrInternal)})
	case len(reasons) > 0 || len(response.Data) == 0:
		o.fail(response.Errors)
	default:
		o.answer(ctx, response)
	}
}

// Respond implements run.Protocol.
func (o *operation) Respond(ctx context.Context, query *graphql.OperationContext) (context.Context, *graphql.Response) {
	return o.conn.transport.runner.Execute(ctx, o.call, query)
}

// Check implements run.Protocol. A WebSocket runs every operation.
func (o *operation) Check(*graphql.OperationContext) *apierror.Error { return nil }

// Begin implements run.Protocol: it begins the stream of a subscription.
func (o *operation) Begin(ctx context.Context, subscription *graphql.OperationContext) error {
	stream, err := o.conn.transport.runner.Subscribe(ctx, o.call, subscription, func(ctx context.Context, key string) stream.Sink {
		o.ctx, o.key = ctx, key
		return o
	})
	if err != nil {
		return err
	}
	o.conn.mu.Lock()
	o.stream = stream
	ended, cancel := o.ended, o.cancel
	o.cancel = func() {}
	o.conn.mu.Unlock()
	cancel()
	if ended {
		stream.Close()
	}
	return nil
}
