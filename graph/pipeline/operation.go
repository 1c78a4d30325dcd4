package pipeline

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/execute/projection"
)

// openOperation is the response interceptor that opens the upstream session of an operation, with its deadline, and
// closes it with the response. The session bounds the number of concurrent calls.
func (g *Gateway) openOperation(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	request := graph.RequestOf(ctx)
	if request.Rejected != nil {
		return presenter{g.config.Log, g.counts, g.config.MaxErrors}.rejected(ctx, request.Rejected)
	}
	deadline, byClient := deadlineOf(request, g.config.OperationTimeout)
	request.Open(g.config.Client, g.lookups, g.config.Calls, deadline, byClient)
	response := next(ctx)
	request.Close()
	return response
}

// projected is an executable schema that executes operations by projection where possible.
type projected struct {
	graphql.ExecutableSchema
	projector *projection.Projector
}

// Exec implements graphql.ExecutableSchema.
func (s *projected) Exec(context.Context) graphql.ResponseHandler { return s.execute }

func (s *projected) execute(ctx context.Context) *graphql.Response {
	request := graph.RequestOf(ctx)
	response, data := s.projector.Execute(ctx, request.Account)
	request.Data = data
	return response
}

// dataOf returns the data to send for a response, and a function that releases it. It is the Data function of
// transport.Config.
func dataOf(ctx context.Context, response *graphql.Response) (data []byte, release func()) {
	if !projection.IsHandedOver(response) {
		return slices.Clip(response.Data), func() {} // an extension may keep it
	}
	handedOver := graph.RequestOf(ctx).Data
	return handedOver, handedOver.Release
}
