package doctor

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/settings"
)

// scopeDispatcher is the one scope that the contract names (spec 5, point 3).
const scopeDispatcher = "get_dispatcher"

// soon is when a token that ends is worth a word: it would be over before one has tried anything with it.
const soon = 5 * time.Minute

// token verifies the caller's as a gateway does, and keeps the identity for the calls that follow. One that a gateway
// would refuse is sent nowhere.
func (e *examination) token() {
	if e.Token == "" {
		e.report.add("token", Skipped, "none was given: what callers can read was not looked into",
			"give one in "+settings.TokenVariable+", or on the standard input with --token=-")
		return
	}
	request := &http.Request{Header: http.Header{"Authorization": {"Bearer " + e.Token}}}
	identity, err := e.Authenticator.Authenticate(request.WithContext(e.ctx))
	if err != nil {
		e.refused(err)
		return
	}
	e.identity, e.scopes = identity, identity.ScopesKnown()
	if !e.scopes {
		e.report.add("token", OK, "its form is right; the services decide about the rest (auth_mode is forward)", "")
		return
	}
	left := identity.Expiry().Sub(e.Now())
	detail := "of " + identity.Issuer() + ", audience and signature are right, expires in " + left.Round(time.Second).String()
	switch scopes := identity.Scopes(); {
	case left < soon:
		e.report.add("token", Warn, detail, "it is over before long: get another for trying things out")
	case len(scopes) == 0:
		e.report.add("token", OK, detail+", no scopes", "")
	default:
		e.report.add("token", OK, detail+", scopes: "+strings.Join(scopes, " "), "")
	}
	if identity.HasScope(scopeDispatcher) {
		e.report.add("scope "+scopeDispatcher, OK, "the token has it", "")
		return
	}
	e.report.add("scope "+scopeDispatcher, Warn, "the token lacks it: notification, notifications and Transaction.notifications will be FORBIDDEN",
		"ask whoever gives the tokens for the scope, if callers are to read notifications")
}

// refused says why a token is no good.
func (e *examination) refused(err error) {
	var refused *auth.Error
	if !errors.As(err, &refused) {
		e.report.add("token", Fail, "cannot be verified", "")
		return
	}
	hint := map[auth.Reason]string{
		auth.ReasonMalformed:     "give the token alone, as it is sent behind \"Bearer \"",
		auth.ReasonIssuer:        "auth_issuer must name the token's iss to the letter",
		auth.ReasonAudience:      "auth_audience must name one of the token's aud",
		auth.ReasonAlgorithm:     "auth_algorithms must name the token's alg",
		auth.ReasonExpired:       "get a new one",
		auth.ReasonNotYetValid:   "see that the clocks of issuer and gateway agree; auth_leeway is " + e.Settings.AuthLeeway.String(),
		auth.ReasonUnknownKey:    "it is not a key that the issuer publishes now: get a new token",
		auth.ReasonSignature:     "the token was changed, or another signed it",
		auth.ReasonUnavailable:   "see the issuers above",
		auth.ReasonInvalidClaims: "it is no access token for an API: see iss, sub, aud and exp",
	}[refused.Reason]
	e.report.add("token", Fail, refused.Public(), hint)
}
