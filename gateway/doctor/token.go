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

// scopeCheck is the check of that scope.
const scopeCheck = "scope " + scopeDispatcher

// farAway is a lifetime that is easier to read as a date.
const farAway = 100 * time.Hour

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
	if identity.Issuer() == "" {
		e.report.add("token", OK, "its form is valid; the services verify the rest (auth_mode is forward)", "")
		return
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
		e.report.add("token", Warn, detail, "it is accepted only because the gateway tolerates a difference of clocks of "+auth.Leeway.String()+": get a new one for further tests")
	case left < soon:
		e.report.add("token", Warn, detail, "it expires soon: get a new one for further tests")
	case len(wrong) > 0:
		e.report.add("token", Warn, detail+"; "+strings.Join(wrong, ", ")+", which is left out", "scopes are read from texts and lists of texts")
	default:
		e.report.add("token", OK, detail, "")
	}
	switch {
	case identity.HasScope(scopeDispatcher):
		e.report.add(scopeCheck, OK, "the token has it", "")
	case !identity.ScopesKnown():
		e.report.add(scopeCheck, OK, "the token does not say which scopes it has: the dispatcher decides", "")
	default:
		e.report.add(scopeCheck, Warn, "the token lacks it: notification, notifications and Transaction.notifications will be FORBIDDEN",
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

// unchecked reports the checks that need a token that is accepted.
func (e *examination) unchecked() {
	for _, what := range []string{scopeCheck, "lists", "read for a stream", "look up a notification", "paging", "links_metadata_pointer"} {
		if what != "read for a stream" || e.Settings.Live {
			e.report.add(what, Skipped, "it needs a token that is accepted", "")
		}
	}
}

// refused reports why the gateway would refuse the token.
func (e *examination) refused(err error) {
	var refused *auth.Error
	if !errors.As(err, &refused) {
		e.report.add("token", Fail, "cannot be verified", "")
		return
	}
	if refused.Reason == auth.ReasonCertificateBound && e.Settings.ChecksCertificates() {
		e.report.add("token", OK, "it is valid, and bound to a client certificate, with which only its client can use it", "")
		return
	}
	says, hint := parseJWT(e.Token).explain(refused.Reason)
	if says != "" {
		says = ": " + says
	}
	e.report.add("token", Fail, refused.Public()+says, hint)
}
