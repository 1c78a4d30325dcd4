package graph

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/auth"
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
	body, err := json.Marshal(map[string]any{
		"errors": gqlerror.List{{Message: message, Extensions: extensions}},
	})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	contentType := "application/json; charset=utf-8"
	if strings.Contains(r.Header.Get("Accept"), "application/graphql-response+json") {
		contentType = "application/graphql-response+json; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
