package sandbox

import (
	"net/http"
	"slices"
	"strings"

	"pixgraph/sandbox/issuer"
)

// admit checks the bearer token (401), then the permission (403), as spec 5 requires.
func (s *Sandbox) admit(service string, h http.Header) (refused answer, ok bool) {
	token, ok := bearer(h)
	if !ok {
		return unauthorized("missing or malformed bearer", `Bearer realm="sandbox"`), false
	}
	claims, err := s.issuer.Verify(token)
	if err != nil {
		return unauthorized("invalid token", `Bearer realm="sandbox", error="invalid_token"`), false
	}
	required := s.cfg.CoreScope
	if service == Dispatcher {
		required = issuer.ScopeDispatcher
	}
	if required != "" && !claims.HasScope(required) {
		a := problemAnswer(http.StatusForbidden, "missing scope "+required)
		a.header.Set("WWW-Authenticate", `Bearer realm="sandbox", error="insufficient_scope", scope="`+required+`"`)
		return a, false
	}
	return answer{}, true
}

func unauthorized(message, challenge string) answer {
	a := problemAnswer(http.StatusUnauthorized, message)
	a.header.Set("WWW-Authenticate", challenge)
	return a
}

// bearer returns the token of the Authorization header, of which there must be exactly one (RFC 6750, section 2.1).
func bearer(h http.Header) (string, bool) {
	lines := h.Values("Authorization")
	if len(lines) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(lines[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " ,\t") {
		return "", false
	}
	return token, true
}

// Token returns a signed access token for issuer.DefaultSubject, valid for one
// hour. Without arguments it has full access (get_dispatcher). With arguments it
// has exactly those scopes, and Token("") has no scope.
func (s *Sandbox) Token(scopes ...string) string {
	if len(scopes) == 0 {
		scopes = []string{issuer.ScopeDispatcher}
	}
	scopes = slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return scope == "" })
	return s.issuer.Mint(issuer.Grant{Scopes: scopes})
}
