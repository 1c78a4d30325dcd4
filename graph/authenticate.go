package graph

import (
	"errors"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/auth"
	"pixgraph/graph/transport"
)

// authenticate lets only requests with a good bearer token through, their Identity in the context.
func authenticate(authenticator *auth.Authenticator, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		identity, err := authenticator.Authenticate(r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(auth.NewContext(r.Context(), identity)))
	})
}

// retryAfterOutage is the Retry-After of a request that could not be checked because an issuer cannot be reached, in
// seconds: about as long as auth waits before it asks again.
const retryAfterOutage = "5"

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
	extensions["requestId"] = RequestID(r.Context())
	transport.WriteError(w, r, status, gqlerror.List{{Message: message, Extensions: extensions}})
}
