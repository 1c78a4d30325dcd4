package auth

import "fmt"

// Reason is why a request has no identity. A client can react to each reason differently.
type Reason string

// Reasons of an Error.
const (
	ReasonMissing          Reason = "missing"           // no Authorization header
	ReasonMalformed        Reason = "malformed"         // a header without a bearer token, or a token that is not a signed JWT
	ReasonAlgorithm        Reason = "algorithm"         // signed with an algorithm that is not accepted
	ReasonIssuer           Reason = "issuer"            // from an issuer that is not configured
	ReasonAudience         Reason = "audience"          // meant for another API
	ReasonExpired          Reason = "expired"           // exp is past
	ReasonNotYetValid      Reason = "not_yet_valid"     // nbf or iat is in the future
	ReasonInvalidClaims    Reason = "invalid_claims"    // a claim missing or of a wrong type
	ReasonIDToken          Reason = "id_token"          // for the client, not for an API
	ReasonUnknownKey       Reason = "unknown_key"       // signed with a key that the issuer does not publish
	ReasonSignature        Reason = "signature"         // the signature does not match
	ReasonKeyBound         Reason = "key_bound"         // bound to a key, so not a bearer token
	ReasonCertificateBound Reason = "certificate_bound" // bound to another client certificate than that of the connection
	ReasonUnavailable      Reason = "unavailable"       // the issuer's keys cannot be fetched: not the caller's fault
)

// messages has the text of every Reason: the only text about it that a client sees. It is not changed.
var messages = map[Reason]string{
	ReasonMissing:          "bearer token required",
	ReasonMalformed:        "malformed Authorization header or bearer token",
	ReasonAlgorithm:        "token signature algorithm not accepted",
	ReasonIssuer:           "token issuer not accepted",
	ReasonAudience:         "token audience not accepted",
	ReasonExpired:          "token expired",
	ReasonNotYetValid:      "token not valid yet",
	ReasonInvalidClaims:    "token claim missing or of the wrong type",
	ReasonIDToken:          "an ID token, not an access token",
	ReasonUnknownKey:       "token signed with an unknown key",
	ReasonSignature:        "token signature invalid",
	ReasonKeyBound:         "token bound to a key (DPoP), not a bearer token",
	ReasonCertificateBound: "token bound to a client certificate that this connection does not have",
	ReasonUnavailable:      "token not verified: the keys of its issuer are unavailable, retry later",
}

// Error is why Authenticate returned no identity. It contains nothing of the token.
type Error struct {
	Reason Reason
	Err    error // the cause, for logs; may be nil
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("auth: %s", e.Reason)
	}
	return fmt.Sprintf("auth: %s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Unavailable reports whether the token may be valid but could not be verified: the status is then 503 and not 401.
func (e *Error) Unavailable() bool { return e.Reason == ReasonUnavailable }

// Invalid reports whether the token is wrong for another reason than its lifetime or its issuer's outage.
func (e *Error) Invalid() bool {
	return e.Reason != ReasonMissing && e.Reason != ReasonExpired && e.Reason != ReasonNotYetValid && e.Reason != ReasonUnavailable
}

// Public is the message for the client, from a fixed list.
func (e *Error) Public() string { return messages[e.Reason] }

// Challenge is the value of WWW-Authenticate (RFC 6750 section 3). It has no error code for a request without
// credentials. It is empty when Unavailable is true, as there is nothing to challenge.
func (e *Error) Challenge() string {
	const realm = `Bearer realm="pixgraph"`
	switch e.Reason {
	case ReasonMissing:
		return realm
	case ReasonUnavailable:
		return ""
	default:
		return fmt.Sprintf(`%s, error="invalid_token", error_description="%s"`, realm, e.Public())
	}
}
