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

// farAway is a lifetime that is easier to read as a date.
const farAway = 100 * time.Hour

// soon is the remaining lifetime of a token below which the report warns.
const soon = 5 * time.Minute

// token verifies the caller's token as a gateway does, and keeps the identity for the calls that follow. A token that
// a gateway would refuse is not sent to a service.
func (e *examination) token() Check {
	if e.Token == "" {
		return skipped("no token was given: what callers can read was not checked",
			"set it in "+settings.TokenVariable+", or pass it on the standard input with --token=-")
	}
	request := &http.Request{Header: http.Header{"Authorization": {"Bearer " + e.Token}}}
	identity, err := e.Authenticator.Authenticate(request.WithContext(e.ctx))
	if err != nil {
		return e.refused(err)
	}
	e.identity = identity
	if identity.Issuer() == "" {
		return passed("its form is valid; the services verify the rest (auth_mode is forward)")
	}
	left := time.Until(identity.Expiry())
	detail := "issuer " + identity.Issuer() + ", audience and signature are valid, " + expires(identity.Expiry(), left)
	if scopes := identity.Scopes(); len(scopes) > 0 {
		detail += ", scopes: " + strings.Join(scopes, " ")
	} else {
		detail += ", no scopes"
	}
	says := parseJWT(e.Token)
	if _, ok := says.header["kid"]; !ok {
		detail += ", no kid"
	}
	switch wrong := says.wrong(scopeForms); {
	case left <= 0:
		return warned(detail,
			"it is accepted only because the gateway tolerates a difference of clocks of "+auth.Leeway.String()+": get a new one for further tests")
	case left < soon:
		return warned(detail, "it expires soon: get a new one for further tests")
	case len(wrong) > 0:
		return warned(detail+"; "+strings.Join(wrong, ", ")+", which is left out", "scopes are read from texts and lists of texts")
	default:
		return passed(detail)
	}
}

// scope checks whether the token has the scope of the dispatcher.
func (e *examination) scope() Check {
	switch {
	case e.identity.Issuer() == "": // the services read it
		return Check{}
	case e.identity.HasScope(scopeDispatcher):
		return passed("the token has it")
	case !e.identity.ScopesKnown():
		return passed("the token does not say which scopes it has: the dispatcher decides")
	default:
		return warned("the token lacks it: notification, notifications and Transaction.notifications will be FORBIDDEN",
			"if callers should read notifications, ask the administrator of the issuer for the scope")
	}
}

// expires says when a token expires.
func expires(at time.Time, left time.Duration) string {
	switch {
	case left > farAway: // a duration has at most 292 years
		return "expires at " + at.Format(time.RFC3339)
	case left <= 0:
		return "expired " + (-left).Round(time.Second).String() + " ago"
	default:
		return "expires in " + left.Round(time.Second).String()
	}
}

// refused reports why the gateway would refuse the token.
func (e *examination) refused(err error) Check {
	var refused *auth.Error
	if !errors.As(err, &refused) {
		return failed("cannot be verified", "")
	}
	if refused.Reason == auth.ReasonCertificateBound && e.Settings.ChecksCertificates() {
		return passed("it is valid, and bound to a client certificate, with which only its client can use it")
	}
	says, hint := parseJWT(e.Token).explain(refused.Reason)
	if says != "" {
		says = ": " + says
	}
	return failed(refused.Public()+says, hint)
}
