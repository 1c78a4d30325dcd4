package serve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/trace"
	"pixgraph/internal/quota"
	"pixgraph/request"
)

// Execute implements run.Gateway: the execution of a query. If fields of the query wait, it begins after the wait. So
// neither the timeout of the operation nor its duration includes the wait.
func (g *Gateway) Execute(ctx context.Context, call *request.Call, operation *graphql.OperationContext) (context.Context, *graphql.Response) {
	g.persisted.Register(call)
	call.Deprecated = g.deprecatedFields(operation)
	input := graph.Input{
		Account: call.Account, Turn: call.Turn,
		Waits: g.schema.Waits(ctx, operation), Deferred: g.deferred(ctx, call, operation),
	}
	if len(input.Waits) > 0 {
		input.Rejected = g.await(ctx, call, operation, input.Waits)
		defer releaseReadings(input.Waits)
	} else {
		input.Rejected = g.reserve(ctx, call)
		defer g.executed(call, input.Rejected)
	}
	ctx, execution := graph.NewExecution(ctx, call, input)
	if ctx.Err() != nil {
		return ctx, nil
	}
	ctx = graphql.WithResponseContext(ctx, g.presented, g.recovered)
	return ctx, g.log.run(ctx, execution, operation, func(ctx context.Context) *graphql.Response {
		if execution.Deferred != nil {
			return g.sendParts(ctx, execution, operation)
		}
		return g.run(ctx, execution, operation)
	})
}

// run runs an execution of an operation: all steps of a query, of its first part, of an event, and of a page.
func (g *Gateway) run(ctx context.Context, execution *graph.Execution, operation *graphql.OperationContext) *graphql.Response {
	return g.present.collect(ctx, execution, operation, func() (response *graphql.Response) {
		if g.config.Trace && execution.Call.WantsTrace {
			execution.Trace = trace.New()
			defer func() { addExtension(response, traceExtension, traceOf(execution.Trace)) }()
		}
		if execution.Rejected != nil {
			return g.present.rejected(ctx, execution.Rejected)
		}
		deadline, byClient := deadlineOf(execution.Call, g.config.OperationTimeout)
		execution.Open(g.config.Client, g.schema.Lookups, g.config.Calls, deadline, byClient)
		response = g.project(ctx, execution, operation)
		addCost(response, execution.Call)
		if execution.Deferred == nil {
			execution.Close()
		}
		return response
	})
}

// project executes an operation by projection, without the fragments that are deferred.
func (g *Gateway) project(ctx context.Context, execution *graph.Execution, operation *graphql.OperationContext) (response *graphql.Response) {
	if plan := execution.Deferred; plan != nil {
		operation = projection.With(operation, plan.Initial)
		ctx = graphql.WithOperationContext(ctx, operation)
	}
	response, execution.Data = g.projector.Execute(ctx, operation, execution.Account, execution.Turn, execution.Deferred, &execution.Captures)
	return response
}

// Sent implements run.Gateway: it releases the data of a response.
func (g *Gateway) Sent(ctx context.Context) {
	execution := graph.ExecutionOf(ctx)
	execution.Data.Release()
	execution.Data = nil
}

// Reject implements run.Gateway.
func (g *Gateway) Reject(
	ctx context.Context, call *request.Call, operation *graphql.OperationContext, reasons gqlerror.List,
) *graphql.Response {
	response := &graphql.Response{}
	for _, reason := range reasons {
		response.Errors = append(response.Errors, g.present.show(ctx, nil, reason))
	}
	addCost(response, call)
	if g.config.Trace && call.WantsTrace && operation.Doc != nil {
		addExtension(response, traceExtension, traceOf(trace.New()))
	}
	execution := graph.ExecutionOf(ctx)
	return g.log.run(ctx, execution, operation, func(ctx context.Context) *graphql.Response {
		return g.present.boundResponse(ctx, execution, response)
	})
}

// costExtension is the key of an operation's cost in the extensions of the response.
const costExtension = "cost"

// addCost adds the cost of an operation, if it is known and the client requests it.
func addCost(response *graphql.Response, call *request.Call) {
	if call.WantsCost && call.Cost.Max > 0 {
		addExtension(response, costExtension, call.Cost)
	}
}

func addExtension(response *graphql.Response, name string, value any) {
	if response.Extensions == nil {
		response.Extensions = map[string]any{}
	}
	response.Extensions[name] = value
}

// reserve takes the memory that executions of the call's document usually hold for its caller, and waits for it if
// necessary.
func (g *Gateway) reserve(ctx context.Context, call *request.Call) error {
	call.Turn.Pause()
	defer call.Turn.Resume(ctx)
	usual, others := g.parsed.Usual(call.Document, call.Share())
	return call.Account.Reserve(ctx, usual, others, g.admitWithin())
}

// executed stores how much memory the execution of a call has held, unless it was rejected.
func (g *Gateway) executed(call *request.Call, rejected error) {
	if held := call.Account.Executed(); rejected == nil {
		g.parsed.Used(call.Document, call.Share(), held)
	}
}

// part is the execution of a part of an operation: of the query for an event of a stream, or for a page of a download.
type part struct {
	*graph.Execution
	response *graphql.Response // nil if the context ended before
}

// execute executes a part of an operation with the steps of a query, and with memory, loaders and an upstream session
// of its own.
func (g *Gateway) execute(ctx context.Context, call *request.Call, input graph.Input, query *graphql.OperationContext) part {
	input.Account = quota.NewAccount(g.memory, call.Share(), g.config.Bytes)
	if input.Turn == nil { // an event of a stream
		input.Turn, _ = g.turns.Take(ctx, call.Share(), 0)
		defer input.Turn.End()
	}
	ctx, execution := graph.NewExecution(ctx, call, input)
	p := part{Execution: execution}
	if ctx.Err() == nil {
		ctx = graphql.WithResponseContext(graphql.WithOperationContext(ctx, query), g.presented, g.recovered)
		p.response = g.run(ctx, execution, query)
	}
	return p
}

// release releases the memory of the part.
func (p part) release() {
	p.Data.Release()
	p.Account.Release()
}
