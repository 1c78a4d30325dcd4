package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

var (
	errNotJWT    = errors.New("not a signed JWT in compact form")
	errCritical  = errors.New("a crit header, of which none is understood")
	errTokenType = errors.New("a typ of something other than an access token")
)

// verifier judges one token at a time and remembers none.
type verifier struct {
	sources    map[string]*keySource // by issuer
	algorithms []jose.SignatureAlgorithm
	audiences  []string
	leeway     time.Duration
	now        func() time.Time
}

// verified is an identity and what it rests upon.
type verified struct {
	identity *Identity
	source   *keySource
	key      *key
}

// verify checks, cheapest first: the form, the header, the issuer, the claims,
// the key, and last the signature, which alone costs tens of microseconds. The
// claims are read before they are proven, and nothing comes of them unless
// they are. What the header says of keys (jwk, jku, x5u, x5c) is never used.
func (v *verifier) verify(ctx context.Context, token string, digest [sha256.Size]byte) (*verified, *Error) {
	jws, err := jose.ParseSignedCompact(token, v.algorithms)
	if err != nil {
		var unexpected *jose.ErrUnexpectedSignatureAlgorithm
		if errors.As(err, &unexpected) {
			return nil, &Error{Reason: ReasonAlgorithm}
		}
		return nil, malformed(errNotJWT) // the parser's own text may quote the token
	}
	header := jws.Signatures[0].Protected
	if err := checkHeader(header); err != nil {
		return nil, malformed(err)
	}
	c, err := parseClaims(jws.UnsafePayloadWithoutVerification())
	if err != nil {
		return nil, &Error{Reason: ReasonInvalidClaims, Err: err}
	}
	source, ok := v.sources[c.Issuer]
	if !ok {
		return nil, &Error{Reason: ReasonIssuer}
	}
	if err := c.check(v.audiences, v.now(), v.leeway); err != nil {
		return nil, err
	}
	k, refused := source.key(ctx, header.Algorithm, header.KeyID)
	if refused != nil {
		return nil, refused
	}
	if _, err := jws.Verify(k.public); err != nil {
		return nil, &Error{Reason: ReasonSignature}
	}
	return &verified{
		identity: newVerified(token, digest, c, c.Expiry.time()),
		source:   source,
		key:      k,
	}, nil
}

// checkHeader refuses extensions that must be understood (RFC 7515 section
// 4.1.11) and JWTs that say they are something else, such as a logout token
// (RFC 8725 section 3.11). Many issuers say JWT or nothing.
func checkHeader(h jose.Header) error {
	if _, ok := h.ExtraHeaders["crit"]; ok {
		return errCritical
	}
	typ, ok := h.ExtraHeaders[jose.HeaderType]
	if !ok {
		return nil
	}
	s, _ := typ.(string)
	switch strings.TrimPrefix(strings.ToLower(s), "application/") {
	case "jwt", "at+jwt":
		return nil
	default:
		return errTokenType
	}
}

func signatureAlgorithms(names []string) []jose.SignatureAlgorithm {
	out := make([]jose.SignatureAlgorithm, len(names))
	for i, name := range names {
		out[i] = jose.SignatureAlgorithm(name)
	}
	return out
}
