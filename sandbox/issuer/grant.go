package issuer

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"
)

// DefaultTTL is the lifetime of a token if its grant sets no lifetime.
const DefaultTTL = time.Hour

// DefaultSubject is the sub of a token if its grant sets no subject.
const DefaultSubject = "sandbox-developer"

// Grant describes an access token to create. The zero value is a token of DefaultSubject for the issuer's audience that
// is valid for an hour and has no scope.
type Grant struct {
	Subject string
	Scopes  []string // in the claim scope
	// TTL is relative to now; a negative TTL gives an expired token.
	TTL time.Duration
	// Audience replaces the issuer's own; a single element is encoded as a string.
	Audience []string
	// Algorithm is ES256 or RS256; empty is ES256.
	Algorithm string
	// Claims are set last and override the others; a nil value removes a claim.
	Claims map[string]any
}

// Mint returns a signed access token, a JWT of type at+jwt (RFC 9068). It panics where Sign does.
func (i *Issuer) Mint(g Grant) string {
	if g.Subject == "" {
		g.Subject = DefaultSubject
	}
	if g.TTL == 0 {
		g.TTL = DefaultTTL
	}
	now := i.now()
	claims := map[string]any{
		"iss": i.URL(),
		"sub": g.Subject,
		"aud": i.audienceOf(g.Audience),
		"iat": now.Unix(),
		"nbf": now.Unix(),
		"exp": now.Add(g.TTL).Unix(),
		"jti": rand.Text(),

		"scope": strings.Join(g.Scopes, " "), // RFC 9068
	}
	overlay(claims, g.Claims)
	header := map[string]any{"typ": "at+jwt"}
	if g.Algorithm != "" {
		header["alg"] = g.Algorithm
	}
	return i.Sign(header, claims)
}

// Sign signs any claims with any header with the current key, for tests with forged tokens. The default header has alg
// ES256, typ JWT and the key's kid; the caller's header overrides it, and a nil value removes a member. alg RS256 signs
// with the RSA key. Any other alg is written to the header, and the ES256 key signs. Sign panics if JSON cannot encode
// the arguments.
func (i *Issuer) Sign(header, claims map[string]any) string {
	alg, _ := header["alg"].(string)
	i.mu.Lock()
	defer i.mu.Unlock()
	full := map[string]any{"alg": ES256, "typ": "JWT", "kid": i.keys.keyID(alg)}
	overlay(full, header)
	input := segment(full) + "." + segment(claims)
	sig, err := i.keys.sign(alg, []byte(input))
	if err != nil {
		panic(fmt.Sprintf("issuer: sign: %v", err))
	}
	return input + "." + base64.RawURLEncoding.EncodeToString(sig)
}

func (i *Issuer) audienceOf(own []string) any {
	if len(own) > 1 {
		return own
	}
	return append(own, i.audience)[0]
}

func overlay(dst, src map[string]any) {
	maps.Copy(dst, src)
	maps.DeleteFunc(dst, func(_ string, v any) bool { return v == nil })
}

func segment(v map[string]any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("issuer: encode a token: %v", err))
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
