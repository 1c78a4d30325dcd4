package pipeline

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
)

// openOperation is the response interceptor that opens the upstream session of an operation, with its deadline, and
// closes it with the response. The session bounds the number of concurrent calls.
func (g *Gateway) openOperation(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	request := graph.RequestOf(ctx)
	request.Open(g.config.Client, g.lookups, g.config.Calls, deadlineOf(request, g.config.OperationTimeout))
	response := next(ctx)
	request.Close()
	return response
}

// fastPath is the interceptor of root fields that has the projector answer those that it can.
func (g *Gateway) fastPath(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	request := graph.RequestOf(ctx)
	return g.projector.Intercept(ctx, next, &request.Captures, request.Account)
}
