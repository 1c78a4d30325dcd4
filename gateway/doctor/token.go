package doctor

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
)

// scopeDispatcher is the only scope that the spec names (spec 5, point 3).
const scopeDispatcher = "get_dispatcher"

// soon is the remaining lifetime of a token below which the report warns.
const soon = 5 * time.Minute

// token verifies the caller's token as a gateway does, and keeps the identity for the calls that follow. A token that
// a gateway would refuse is not sent to a service.
func (e *examination) token() {
	if e.Token == "" {
		e.report.add("token", Skipped, "no token was given: what callers can read was not checked",
			"set it in "+settings.TokenVariable+", or pass it on the standard input with --token=-")
		return
	}
	request := &http.Request{Header: http.Header{"Authorization": {"Bearer " + e.Token}}}
	identity, err := e.Authenticator.Authenticate(request.WithContext(e.ctx))
	if err != nil {
		e.refused(err)
		return
	}
	e.identity = identity
	if !identity.ScopesKnown() {
		e.report.add("token", OK, "its form is valid; the services verify the rest (auth_mode is forward)", "")
		return
	}
	left := time.Until(identity.Expiry())
	detail := "issuer " + identity.Issuer() + ", audience and signature are valid, expires in " + left.Round(time.Second).String()
	switch scopes := identity.Scopes(); {
	case left < soon:
		e.report.add("token", Warn, detail, "it expires soon: get a new one for further tests")
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
		"if callers should read notifications, ask the administrator of the issuer for the scope")
}

// refused reports why the gateway would refuse the token.
func (e *examination) refused(err error) {
	var refused *auth.Error
	if !errors.As(err, &refused) {
		e.report.add("token", Fail, "cannot be verified", "")
		return
	}
	hint := map[auth.Reason]string{
		auth.ReasonMalformed:     "pass only the token, without \"Bearer \"",
		auth.ReasonIssuer:        "auth_issuer must contain the token's iss exactly",
		auth.ReasonAudience:      "auth_audience must contain one of the token's aud",
		auth.ReasonAlgorithm:     "auth_algorithms must contain the token's alg",
		auth.ReasonExpired:       "get a new one",
		auth.ReasonNotYetValid:   "check that the clocks of issuer and gateway agree; auth_leeway is " + e.Settings.Tokens.Leeway.String(),
		auth.ReasonUnknownKey:    "the issuer does not publish that key now: get a new token",
		auth.ReasonSignature:     "the token was modified, or it was signed with another key",
		auth.ReasonUnavailable:   "see the issuers above",
		auth.ReasonInvalidClaims: "it is not an access token for an API: check iss, sub, aud and exp",
	}[refused.Reason]
	e.report.add("token", Fail, refused.Public(), hint)
}
