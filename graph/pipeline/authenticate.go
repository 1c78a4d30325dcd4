package pipeline

import (
	"errors"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
)

// authenticate lets only requests with a good bearer token through, with their identity, and the account that their memory is
// taken from until they are answered.
func (g *Gateway) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := graph.RequestOf(r.Context())
		identity, err := g.config.Authenticator.Authenticate(r)
		if err != nil {
			g.config.Log.InfoContext(r.Context(), "refused", "requestId", request.ID, "error", err.Error())
			refuse(w, r, err)
			return
		}
		request.Identity = identity
		request.Account = quota.NewAccount(g.memory, identity.Caller(), g.config.Bytes)
		defer request.Account.Release()
		next.ServeHTTP(w, r)
	})
}

// retryAfterOutage is the Retry-After of a request that could not be checked because an issuer cannot be reached, in
// seconds: auth asks it again after ten.
const retryAfterOutage = "10"

func refuse(w http.ResponseWriter, r *http.Request, err error) {
	var refused *auth.Error
	if !errors.As(err, &refused) {
		writeError(w, r, http.StatusInternalServerError, "internal error", extensions(codeInternal, false))
		return
	}
	if refused.Unavailable() {
		w.Header().Set("Retry-After", retryAfterOutage)
		writeError(w, r, http.StatusServiceUnavailable, refused.Public(), extensions(codeUnavailable, true))
		return
	}
	w.Header().Set("WWW-Authenticate", refused.Challenge())
	writeError(w, r, http.StatusUnauthorized, refused.Public(), extensions(codeUnauthenticated, false))
}

// writeError answers a request that never came to be an operation: a GraphQL response of one error and no data.
func writeError(w http.ResponseWriter, r *http.Request, status int, message string, extensions map[string]any) {
	extensions["requestId"] = graph.RequestOf(r.Context()).ID
	transport.WriteError(w, r, status, gqlerror.List{{Message: message, Extensions: extensions}})
}
