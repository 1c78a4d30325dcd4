package pipeline

import (
	"net/http"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/graph/transport/envelope"
	"pixgraph/internal/quota"
)

// authenticate passes on only requests with a valid bearer token. It sets the caller's identity, and the account for
// the memory that the request holds until its response is sent.
func (g *Gateway) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := graph.CallOf(r.Context())
		identity, err := g.config.Authenticator.Authenticate(r)
		if err != nil {
			g.config.Log.InfoContext(r.Context(), "request without a valid token", "requestId", call.ID, "error", err.Error())
			refuse(w, r, err)
			return
		}
		call.Identity = identity
		call.Account = quota.NewAccount(g.memory, call.Share(), g.config.Bytes)
		defer call.Account.Release()
		next.ServeHTTP(w, r)
	})
}

// refuse rejects a request before execution, with a GraphQL response that has one error and no data.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	refused := graph.Describe(err)
	if refused == nil {
		refused = apierror.InternalError()
	}
	envelope.WriteError(w, r, refused, refused.Render(nil, graph.CallOf(r.Context()).ID))
}
