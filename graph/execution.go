package graph

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/execute/summary"
	"pixgraph/graph/trace"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Execution is one execution of an operation: of a query, for an event of a stream, for a page of a download, or for a
// deferred part. The goroutines of the resolvers share it; each member that they change has its own lock.
type Execution struct {
	Call *request.Call
	Input

	Errors   ErrorList
	Captures deferral.Captures
	Failures Failures
	Data     projection.Data  // of the response
	Trace    *trace.Collector // nil unless the client requests a trace

	observer client.Observer // the gateway's; may be nil
	calls    atomic.Int64    // completed upstream calls
	session  *client.Session // nil before Open
	whole    *Execution      // whose loaders a deferred part uses; nil for its own
	loaders  loaders
	links    readLinks
}

// Input is what an execution depends on, in addition to its call.
type Input struct {
	Account  *quota.Account       // the memory of the execution; nil for no bound
	Turn     *quota.Turn          // of its goroutines; nil for none
	Waits    []*Wait              // of the operation, which have ended
	Rejected error                // why the operation is not executed after its waits; nil if it is
	Event    *live.Reading        // which the operation answers; nil unless it is an event of a stream
	Deferred *deferral.Plan       // of the operation; nil if the response is whole
	Listed   func(paging.Listing) // is called with the list; its records are valid until it returns. nil for none
	AnySize  bool                 // whether the list may have another page size than requested: the pages before it were read
	Walk     *summary.Walk        // of a summary that several executions read; nil for one that reads all
}

// executionContext carries an execution and its call. They are one allocation.
type executionContext struct {
	context.Context
	execution Execution
}

// executionKey is the context key of the execution.
type executionKey struct{}

// Value implements context.Context.
func (c *executionContext) Value(key any) any {
	switch key {
	case executionKey{}:
		return &c.execution
	case request.Key{}:
		return c.execution.Call
	}
	return c.Context.Value(key)
}

// NewExecution returns an execution for the call, and a context that carries both.
func NewExecution(ctx context.Context, c *request.Call, input Input) (context.Context, *Execution) {
	with := &executionContext{ctx, Execution{Call: c, Input: input}}
	return with, &with.execution
}

// NewPart returns an execution of a deferred part, and a context that carries it. It has errors of its own, and the
// session, loaders and memory of the operation.
func (e *Execution) NewPart(ctx context.Context) (context.Context, *Execution) {
	with := &executionContext{ctx, Execution{
		Call: e.Call, Input: e.Input, Trace: e.Trace, observer: e.observer, session: e.session, whole: e,
	}}
	return with, &with.execution
}

// ofOperation returns the execution of the whole operation.
func (e *Execution) ofOperation() *Execution {
	if e.whole != nil {
		return e.whole
	}
	return e
}

// ExecutionOf returns the execution in ctx. Outside of an execution, such as for an operation that is rejected before,
// it returns an empty one of the call in ctx.
func ExecutionOf(ctx context.Context) *Execution {
	if e, ok := ctx.Value(executionKey{}).(*Execution); ok {
		return e
	}
	call := request.CallOf(ctx)
	return &Execution{Call: call, Input: Input{Account: call.Account}}
}

// Open starts the upstream session of the operation, with its own loaders. Close ends it. byClient says that the client
// chose the deadline.
func (e *Execution) Open(c *client.Client, lookups *Lookups, observer client.Observer, deadline time.Time, byClient bool) {
	e.observer, e.loaders.lookups = observer, lookups
	header := client.Header{RequestID: e.Call.ID, TraceParent: e.Call.TraceParent}
	e.session = c.Open(client.Operation{
		Bearer: e.Call.Identity.Bearer(), Caller: e.Call.Caller(), Share: e.Call.Share(), Header: header,
		Observer: e, Account: e.Account, Turn: e.Turn, Calls: e.Call.Calls, Deadline: deadline, ClientDeadline: byClient,
	})
	if e.Deferred != nil {
		e.session.Memoize() // a part may repeat a field
	}
	if e.Event != nil {
		e.Call.Identity.Accept()
		e.session.Replay(e.Event.Session)
	}
	for _, wait := range e.Waits {
		if wait.Reading != nil {
			e.Call.Identity.Accept()
			e.session.Replay(wait.Reading.Session)
		}
	}
}

// Close ends the upstream session, if it was opened. The response must hold copies of the data that was read. Only now
// are the links that the operation has read remembered, so that none of its fields depends on which of them was
// resolved first.
func (e *Execution) Close() {
	if e.session == nil {
		return
	}
	e.loaders.lookups.learned.add(e.Call.Identity, e.links.take())
	e.session.End()
}

// Abandon excludes the memory of the operation from pooling: after a panic, other goroutines may still read it.
func (e *Execution) Abandon() {
	if e.session != nil {
		e.session.Abandon()
	}
}

// Add adds the calls and the failures of a page to those of its download, or of a part to those of its operation.
func (e *Execution) Add(page *Execution) {
	e.calls.Add(page.calls.Load())
	e.Failures.add(page.Failures.List())
}

// Calls returns the number of completed upstream calls.
func (e *Execution) Calls() int { return int(e.calls.Load()) }

// Begin implements client.Observer.
func (e *Execution) Begin(ctx context.Context, header client.Header) (context.Context, client.Header) {
	if e.observer == nil {
		return ctx, header
	}
	return e.observer.Begin(ctx, header)
}

// End implements client.Observer: it counts a call, and traces it for the field in ctx.
func (e *Execution) End(ctx context.Context, exchange client.Exchange) {
	if e.Trace != nil {
		e.Trace.Add(exchange, trace.NewFields(graphql.GetPath(ctx)))
	}
	e.count(ctx, exchange)
}

func (e *Execution) count(ctx context.Context, exchange client.Exchange) {
	if !exchange.Coalesced {
		e.calls.Add(1)
		switch exchange.Status { // the others may be of a proxy that has not verified the token
		case http.StatusOK, http.StatusNotFound, http.StatusUnprocessableEntity:
			e.Call.Identity.Accept()
			e.ofOperation().loaders.lookups.Live.Accepted(exchange.Service, e.Call.Identity.Digest())
		}
	}
	if e.observer != nil {
		e.observer.End(ctx, exchange)
	}
}

// recordObserver observes the calls for one record, which several fields may have requested.
type recordObserver struct {
	*Execution
	fields *trace.Fields
}

// End implements client.Observer.
func (o recordObserver) End(ctx context.Context, exchange client.Exchange) {
	o.Trace.Add(exchange, o.fields)
	o.count(ctx, exchange)
}
