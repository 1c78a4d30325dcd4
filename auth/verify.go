package auth

import (
	"bytes"
	"cmp"
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
	errCritical  = errors.New("a crit header; none is supported")
	errTokenType = errors.New("a typ that is not that of an access token")
)

// verifier verifies one token at a time. It keeps nothing of the token.
type verifier struct {
	sources    map[string]*keySource // by issuer
	algorithms []jose.SignatureAlgorithm
	audiences  []string
	// config lets go-oidc check the issuer, the algorithm and the signature. claims.check checks lifetime and audience,
	// because go-oidc supports neither a leeway on exp nor a list of audiences.
	config *oidc.Config
}

func newVerifier(sources map[string]*keySource, c Config) *verifier {
	v := &verifier{sources: sources, algorithms: algorithms(), audiences: c.Audiences}
	v.config = &oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true}
	for _, algorithm := range v.algorithms {
		v.config.SupportedSigningAlgs = append(v.config.SupportedSigningAlgs, string(algorithm))
	}
	return v
}

// verified is an identity and the key that proved it.
type verified struct {
	identity *Identity
	source   *keySource
	key      *key
	bound    confirmation // to be checked for each connection
}

// verify checks, cheapest first: the form, the header, the issuer, the claims, the key, and last the signature, which
// alone takes tens of microseconds. The claims are read before the signature is verified, but used only if it is valid.
// Keys in the header (jwk, jku, x5u, x5c) are never used.
func (v *verifier) verify(ctx context.Context, token string, digest [sha256.Size]byte) (*verified, *Error) {
	jws, err := jose.ParseSignedCompact(token, v.algorithms)
	if err != nil {
		var unexpected *jose.ErrUnexpectedSignatureAlgorithm
		if errors.As(err, &unexpected) {
			return nil, &Error{Reason: ReasonAlgorithm}
		}
		return nil, malformed(errNotJWT) // the parser's own message may quote the token
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
	if c.isIDToken() && typeOf(header) != typeAccessToken {
		return nil, &Error{Reason: ReasonIDToken}
	}
	if err := c.check(v.audiences, time.Now()); err != nil {
		if err.Reason == ReasonAudience {
			v.countRefused(source, token, jws, c)
		}
		return nil, err
	}
	p := &proof{source: source, jws: jws, payload: payload, claims: c}
	if _, err := oidc.NewVerifier(source.issuer, p, v.config).Verify(ctx, token); err != nil {
		return nil, p.reason()
	}
	return &verified{
		identity: newVerified(token, digest, c),
		source:   source,
		key:      p.key,
		bound:    c.Bound,
	}, nil
}

// countRefused counts the caller of a token that the issuer has signed for another audience: if that happens to many
// callers, the fault is not theirs. It fetches no keys. It verifies the signature, as for tokens without this fault,
// once a second for each caller that has it: a limit for all would let forged tokens hide the others.
func (v *verifier) countRefused(source *keySource, token string, jws *jose.JSONWebSignature, c *claims) {
	set := source.current.Load()
	if set == nil || source.counts.callers.JustFailed(c.caller()) {
		return
	}
	header := jws.Signatures[0].Protected
	if k, _ := set.prove(header.Algorithm, header.KeyID, nil, func(k *key) bool { return k.verifies(token, jws) }); k != nil {
		source.counts.callers.Add(c.caller(), false)
	}
}

// proof is the oidc.KeySet of one token. It finds the key that the token names among the issuer's keys. It keeps the
// key, or the error of the token, because go-oidc keeps only the text of an error.
type proof struct {
	source  *keySource
	jws     *jose.JSONWebSignature
	payload []byte  // the bytes that claims were read from
	claims  *claims // not verified until VerifySignature returns no error
	key     *key
	refused *Error
	proven  bool
}

// VerifySignature implements oidc.KeySet. It verifies the signature of the whole token, which jws was parsed from, and
// returns a payload with only the claim that go-oidc checks. go-oidc decodes its own members (nonce, at_hash,
// _claim_names …) case-insensitively: a custom claim with such a name would make it refuse a valid access token.
func (p *proof) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	header := p.jws.Signatures[0].Protected
	p.key, p.refused = p.source.prove(ctx, header.Algorithm, header.KeyID, func(k *key) bool { return k.verifies(token, p.jws) })
	if p.refused != nil {
		return nil, p.refused
	}
	// The claims must come from the signed bytes.
	if !bytes.Equal(p.jws.UnsafePayloadWithoutVerification(), p.payload) {
		p.refused = &Error{Reason: ReasonSignature}
		return nil, p.refused
	}
	p.proven = true
	return json.Marshal(map[string]string{"iss": p.claims.Issuer})
}

// reason returns the error of a token that go-oidc rejected. Before go-oidc verifies the signature, it only parses the
// token. After that, it can only reject the issuer.
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

// checkHeader refuses critical extensions (RFC 7515 section 4.1.11) and JWTs of another type, such as a logout token
// (RFC 8725 section 3.11). Many issuers set typ to JWT or omit it.
func checkHeader(h jose.Header) error {
	if _, ok := h.ExtraHeaders["crit"]; ok {
		return errCritical
	}
	switch typeOf(h) {
	case "", "jwt", typeAccessToken:
		return nil
	default:
		return errTokenType
	}
}

const typeAccessToken = "at+jwt" // RFC 9068

// typeOf returns the typ of a token; "" without one, and "?" for one that is no text.
func typeOf(h jose.Header) string {
	typ, ok := h.ExtraHeaders[jose.HeaderType]
	if !ok {
		return ""
	}
	s, _ := typ.(string)
	return cmp.Or(strings.TrimPrefix(strings.ToLower(s), "application/"), "?")
}
