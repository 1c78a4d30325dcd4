package pipeline

import (
	"context"
	"net/http"

	"pixgraph/graph"
	"pixgraph/graph/limits"
)

// locate is the step that notes the address of the client, for the limit of its rate.
func locate(limited *limits.Limits) step {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			graph.RequestOf(r.Context()).Address = limited.AddressKey(r)
			next.ServeHTTP(w, r)
		})
	}
}

// callerOf and addressOf tell clients apart, for limits.RateConfig.
func callerOf(ctx context.Context) string { return graph.RequestOf(ctx).Caller() }

func addressOf(ctx context.Context) string { return graph.RequestOf(ctx).Address }
