package serve

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/envelope"
)

const challengeHeader = "WWW-Authenticate"

// authenticate reports whether a request has a valid bearer token; to others it names the metadata of the resource at
// the URL that they use. It sets the caller's identity, and the account for the memory that the request holds until
// its response is sent.
func (g *Gateway) authenticate(call *request.Call, w http.ResponseWriter, r *http.Request, at resources) (ok bool) {
	address := g.limited.ClientKey(r)
	identity, err := g.config.Authenticator.Authenticate(r)
	g.countAddress(address, err)
	if err != nil {
		g.logRefused(r.Context(), "request without a valid token", call.ID, address, err)
		refused := cmp.Or(graph.Describe(err), apierror.InternalError())
		if challenge := refused.Header[challengeHeader]; challenge != "" {
			refused.Header[challengeHeader] = at.of(r).Challenge(challenge)
		}
		refuse(call, w, r, refused)
		return false
	}
	call.Identity = identity
	call.Account = quota.NewAccount(g.memory, call.Share(), g.config.Bytes)
	return true
}

// countAddress counts an address of a client whose token is valid or invalid.
func (g *Gateway) countAddress(address string, err error) {
	if err == nil {
		g.addresses.Add(address, true)
		return
	}
	var refused *auth.Error
	if errors.As(err, &refused) && refused.Invalid() {
		g.addresses.Add(address, false)
	}
}

// logRefused logs that a client was refused at an address, unless the address has many such lines.
func (g *Gateway) logRefused(ctx context.Context, message, id, address string, err error) {
	if omitted, ok := g.refused.admit(address); ok {
		g.config.Log.InfoContext(ctx, message, omittedLines(omitted, "requestId", id, "error", err.Error())...)
	}
}

// refuse rejects a request before execution, with a GraphQL response that has one error and no data.
func refuse(call *request.Call, w http.ResponseWriter, r *http.Request, refused *apierror.Error) {
	envelope.WriteError(w, r, refused, refused.Render(nil, call.ID))
}
