package auth

import (
	"errors"
	"net/http"
	"strings"
)

const (
	scheme     = "Bearer"
	schemeDPoP = "DPoP" // RFC 9449 section 7.1
	// MaxTokenBytes is several times the largest tokens of issuers with long permission lists, and below common limits
	// on headers.
	MaxTokenBytes = 16 << 10
)

// Causes of ReasonMalformed. They say what is wrong with the form and contain nothing of the value.
var (
	errSeveralHeaders = errors.New("more than one authorization header")
	errScheme         = errors.New("not the bearer scheme")
	errNoToken        = errors.New("no token after the scheme")
	errTokenTooLong   = errors.New("token above 16 KiB")
	errTokenChars     = errors.New("token with characters outside b64token")
)

// bearer returns the token of the only Authorization header, in the form of RFC 6750 section 2.1: the scheme in any
// case (RFC 9110 section 11.1), one or more spaces, a b64token. A second value, a comma, a tab or a line break is an
// error.
func bearer(h http.Header) (string, *Error) {
	values := h["Authorization"]
	switch {
	case len(values) == 0 || len(values) == 1 && values[0] == "":
		return "", &Error{Reason: ReasonMissing}
	case len(values) > 1:
		return "", malformed(errSeveralHeaders)
	}
	v := values[0]
	if first, _, _ := strings.Cut(v, " "); strings.EqualFold(first, schemeDPoP) {
		return "", &Error{Reason: ReasonKeyBound}
	}
	if len(v) < len(scheme) || !strings.EqualFold(v[:len(scheme)], scheme) {
		return "", malformed(errScheme)
	}
	rest := v[len(scheme):]
	token := strings.TrimLeft(rest, " ")
	switch {
	case token == "":
		return "", malformed(errNoToken)
	case len(token) == len(rest):
		return "", malformed(errScheme) // "Bearerx"
	case len(token) > MaxTokenBytes:
		return "", malformed(errTokenTooLong)
	case !isB64Token(token):
		return "", malformed(errTokenChars)
	}
	return token, nil
}

func malformed(cause error) *Error { return &Error{Reason: ReasonMalformed, Err: cause} }

// isB64Token reports whether s is 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"=".
func isB64Token(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		if !b64Characters[s[i]] {
			return false
		}
	}
	return s != ""
}

// b64Characters has the characters of a b64token except the "=" at its end.
var b64Characters = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/") {
		table[c] = true
	}
	return table
}()
