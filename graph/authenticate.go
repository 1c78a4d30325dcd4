package graph

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/auth"
	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
)

// authenticate lets only requests with a good bearer token through, with their Identity in the context, and the account that
// their memory is taken from until they are answered.
func authenticate(authenticator *auth.Authenticator, open func(*auth.Identity) *quota.Account, log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		identity, err := authenticator.Authenticate(r)
		if err != nil {
			log.InfoContext(r.Context(), "refused", "requestId", RequestID(r.Context()), "error", err.Error())
			refuse(w, r, err)
			return
		}
		account := open(identity)
		defer account.Release()
		ctx := quota.NewContext(auth.NewContext(r.Context(), identity), account)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Bearer returns the token of the caller of a request, "" outside of one. It is made for upstream.Config.
func Bearer(ctx context.Context) string {
	identity, ok := auth.FromContext(ctx)
	if !ok {
		return ""
	}
	return identity.Bearer()
}

// CallerKey returns what tells the caller of a request from others, "" outside of one. It is made for upstream.Config, and
// not for people: 32 bytes of any value.
func CallerKey(ctx context.Context) string {
	identity, ok := auth.FromContext(ctx)
	if !ok {
		return ""
	}
	return identity.Caller()
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
	extensions["requestId"] = RequestID(r.Context())
	transport.WriteError(w, r, status, gqlerror.List{{Message: message, Extensions: extensions}})
}
