package pipeline

import (
	"context"
	"net/http"

	"pixgraph/graph"
	"pixgraph/graph/guard/limits"
)

// storeAddress is the step that stores the rate-limit key of the client's address.
func storeAddress(limited *limits.Limits) step {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			graph.CallOf(r.Context()).Address = limited.AddressKey(r)
			next.ServeHTTP(w, r)
		})
	}
}

// callerOf and addressOf return the keys for limits.RateConfig.
func callerOf(ctx context.Context) string { return graph.CallOf(ctx).Caller() }

func addressOf(ctx context.Context) string { return graph.CallOf(ctx).Address }
