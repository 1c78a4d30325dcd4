package pipeline

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/execute/projection"
	"pixgraph/internal/quota"
	"pixgraph/request"
)

// begin is the operation interceptor that begins the execution of a query. If fields of the query wait, it begins after
// the wait. So neither the timeout of the operation nor its duration includes the wait.
func (g *Gateway) begin(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	call := request.CallOf(ctx)
	call.Deprecated = g.deprecatedFields(graphql.GetOperationContext(ctx))
	input := graph.Input{Account: call.Account, Turn: call.Turn, Waits: g.schema.Waits(ctx, g.lookups), Deferred: g.deferred(ctx)}
	if len(input.Waits) == 0 {
		input.Rejected = g.reserve(ctx, call)
		ctx, _ = graph.NewExecution(ctx, call, input)
		responses := next(ctx)
		return func(ctx context.Context) *graphql.Response {
			defer func() {
				if held := call.Account.Executed(); input.Rejected == nil { // otherwise it did not run
					g.parsed.Used(call.Document, call.Share(), held)
				}
			}()
			return responses(ctx)
		}
	}
	input.Rejected = g.await(ctx, call, input.Waits)
	ctx, _ = graph.NewExecution(ctx, call, input)
	responses := next(ctx)
	return func(ctx context.Context) *graphql.Response {
		defer releaseReadings(input.Waits)
		return responses(ctx)
	}
}

// reserve takes the memory that executions of the call's document usually hold for its caller, and waits for it if
// necessary.
func (g *Gateway) reserve(ctx context.Context, call *request.Call) error {
	call.Turn.Pause()
	defer call.Turn.Resume(ctx)
	usual, others := g.parsed.Usual(call.Document, call.Share())
	return call.Account.Reserve(ctx, usual, others, g.admitWithin())
}

// part is the execution of a part of an operation: of the query for an event of a stream, or for a page of a download.
type part struct {
	*graph.Execution
	response *graphql.Response // nil if the context ended before
	data     []byte            // of the response, until release
	sent     func()
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
	p := part{Execution: execution, sent: func() {}}
	if ctx.Err() != nil {
		return p
	}
	responses, ctx := g.executor.DispatchOperation(ctx, query)
	if p.response = responses(ctx); p.response != nil {
		p.data, p.sent = dataOf(ctx, p.response)
	}
	return p
}

// release releases the memory of the part.
func (p part) release() {
	p.sent()
	p.Account.Release()
}

// openOperation is the response interceptor that opens the upstream session of an operation, with its deadline, and
// closes it with the response. The session bounds the number of concurrent calls.
func (g *Gateway) openOperation(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	execution := graph.ExecutionOf(ctx)
	if execution.Rejected != nil {
		return g.present.rejected(ctx, execution.Rejected)
	}
	deadline, byClient := deadlineOf(execution.Call, g.config.OperationTimeout)
	execution.Open(g.config.Client, g.lookups, g.config.Calls, deadline, byClient)
	response := next(ctx)
	if execution.Deferred == nil {
		execution.Close()
	}
	return response
}

// projected is an executable schema that executes operations by projection, without the fragments that are deferred.
type projected struct {
	graphql.ExecutableSchema
	projector *projection.Projector
}

// Exec implements graphql.ExecutableSchema.
func (s *projected) Exec(context.Context) graphql.ResponseHandler { return s.execute }

func (s *projected) execute(ctx context.Context) *graphql.Response {
	execution := graph.ExecutionOf(ctx)
	if plan := execution.Deferred; plan != nil {
		ctx = graphql.WithOperationContext(ctx, projection.With(graphql.GetOperationContext(ctx), plan.Initial))
	}
	return s.run(ctx, execution)
}

// run executes the operation in ctx as it is.
func (s *projected) run(ctx context.Context, execution *graph.Execution) *graphql.Response {
	response, data := s.projector.Execute(ctx, execution.Account, execution.Deferred, &execution.Captures)
	execution.Data = data
	return response
}

// dataOf returns the data to send for a response, and a function that releases it. It is the Data function of
// run.Config.
func dataOf(ctx context.Context, response *graphql.Response) (data []byte, release func()) {
	if !projection.IsHandedOver(response) {
		return slices.Clip(response.Data), func() {} // an extension may keep it
	}
	handedOver := graph.ExecutionOf(ctx).Data
	return handedOver, handedOver.Release
}
