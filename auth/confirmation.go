package auth

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"

	"github.com/go-jose/go-jose/v4/json"
)

// Binding says who checks that the sender of a token is the one that it was issued to, if the token says so (cnf).
type Binding string

const (
	// BindingGateway accepts a token that is bound to a certificate only from a connection with that certificate, and
	// no token that is bound to a key: to check that, the gateway would have to verify the proofs of DPoP.
	BindingGateway Binding = "gateway"
	// BindingProxy accepts bound tokens, because a proxy in front of the gateway has checked them.
	BindingProxy Binding = "proxy"
)

// confirmation is the claim cnf (RFC 7800): what the sender of a token must prove besides having it.
type confirmation struct {
	certificate *[sha256.Size]byte // of the client certificate (RFC 8705 section 3.1); nil for none
	key         bool               // a key, or something unknown
}

// UnmarshalJSON implements json.Unmarshaler. Members that are unknown are ignored next to a certificate, as RFC 7800
// section 3.1 demands. Alone they are not: a token that is bound in an unknown way must not become a bearer token.
func (c *confirmation) UnmarshalJSON(b []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	thumbprint, hasCertificate := members["x5t#S256"]
	_, hasKey := members["jkt"] // RFC 9449 section 6.1
	c.key = hasKey || len(members) > 0 && !hasCertificate
	if hasCertificate {
		var text string
		if err := json.Unmarshal(thumbprint, &text); err != nil {
			return err
		}
		sum, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return errClaimTypes
		}
		c.certificate = (*[sha256.Size]byte)(sum)
	}
	return nil
}

// check checks the connection that a token came on, nil without TLS. A client has proven in the handshake that it has
// the key of its certificate.
func (c confirmation) check(connection *tls.ConnectionState) *Error {
	switch {
	case c.key:
		return &Error{Reason: ReasonKeyBound}
	case c.certificate == nil:
		return nil
	case connection == nil || len(connection.PeerCertificates) == 0,
		sha256.Sum256(connection.PeerCertificates[0].Raw) != *c.certificate:
		return &Error{Reason: ReasonCertificateBound}
	}
	return nil
}
