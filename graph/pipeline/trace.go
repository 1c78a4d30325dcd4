package pipeline

import (
	"context"
	"maps"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/trace"
)

// HeaderTrace is the request header that, with the value 1, requests extensions.trace if Config.Trace allows it.
const HeaderTrace = "X-Pixgraph-Trace"

// withTrace is the response interceptor that traces operations on request.
func withTrace(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !graphql.HasOperationContext(ctx) || graphql.GetOperationContext(ctx).Headers.Get(HeaderTrace) != "1" {
		return next(ctx)
	}
	collected := trace.New()
	graph.ExecutionOf(ctx).Trace = collected
	response := next(ctx)
	if response != nil {
		extensions := maps.Clone(response.Extensions)
		if extensions == nil {
			extensions = map[string]any{}
		}
		extensions[traceExtension] = traceOf(collected)
		response.Extensions = extensions
	}
	return response
}

// traceExtension is the key of the trace in the extensions of a response.
const traceExtension = "trace"

func traceOf(collected *trace.Collector) any {
	return collected.Trace(func(err error) string { return string(graph.CodeOf(err)) })
}
