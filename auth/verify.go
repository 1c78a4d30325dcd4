package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

var (
	errNotJWT    = errors.New("not a signed JWT in compact form")
	errCritical  = errors.New("a crit header, of which none is understood")
	errTokenType = errors.New("a typ of something other than an access token")
)

// verifier judges one token at a time and remembers none.
type verifier struct {
	sources        map[string]*keySource // by issuer
	algorithms     []jose.SignatureAlgorithm
	algorithmNames []string // the same, as go-oidc takes them
	audiences      []string
	leeway         time.Duration
	now            func() time.Time
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
	payload := jws.UnsafePayloadWithoutVerification()
	c, err := parseClaims(payload)
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
	p := &proof{source: source, jws: jws, payload: payload, claims: c}
	if _, err := oidc.NewVerifier(source.issuer, p, v.oidcConfig()).Verify(ctx, token); err != nil {
		return nil, p.reason()
	}
	return &verified{
		identity: newVerified(token, digest, c, c.Expiry.time()),
		source:   source,
		key:      p.key,
	}, nil
}

// oidcConfig leaves to go-oidc the issuer, the algorithm and the signature. Lifetime and audience are judged by
// claims.check: go-oidc knows no leeway on exp and no list of audiences.
func (v *verifier) oidcConfig() *oidc.Config {
	return &oidc.Config{
		SupportedSigningAlgs: v.algorithmNames,
		SkipClientIDCheck:    true,
		SkipExpiryCheck:      true,
		Now:                  v.now,
	}
}

// proof is the oidc.KeySet of one token: it finds the key that the token names among the issuer's keys, and remembers the
// key, or why the token is refused. go-oidc keeps only the text of an error.
type proof struct {
	source  *keySource
	jws     *jose.JSONWebSignature
	payload []byte  // the bytes that claims was read from
	claims  *claims // not proven until VerifySignature returns no error
	key     *key
	refused *Error
	proven  bool
}

// VerifySignature implements oidc.KeySet. It verifies the signature of the whole token, which is the one that jws was
// parsed from, and returns a payload with only the claim that go-oidc judges. go-oidc decodes its own members (nonce,
// at_hash, _claim_names …) case-insensitively: a custom claim with such a name would make it refuse a valid access token.
func (p *proof) VerifySignature(ctx context.Context, _ string) ([]byte, error) {
	header := p.jws.Signatures[0].Protected
	p.key, p.refused = p.source.key(ctx, header.Algorithm, header.KeyID)
	if p.refused != nil {
		return nil, p.refused
	}
	verified, err := p.jws.Verify(p.key.public)
	if err != nil || !bytes.Equal(verified, p.payload) { // the claims must come from the bytes that are signed
		p.refused = &Error{Reason: ReasonSignature}
		return nil, p.refused
	}
	p.proven = true
	return json.Marshal(map[string]string{"iss": p.claims.Issuer})
}

// reason is why go-oidc refused the token. Before the signature it parses the token, after it there is nothing left to it
// but the issuer.
func (p *proof) reason() *Error {
	switch {
	case p.refused != nil:
		return p.refused
	case p.proven:
		return &Error{Reason: ReasonIssuer}
	default:
		return malformed(errNotJWT)
	}
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
