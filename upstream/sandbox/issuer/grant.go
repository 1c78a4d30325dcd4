package issuer

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// DefaultTTL is how long a minted token lives if its grant does not say.
const DefaultTTL = time.Hour

// DefaultSubject is the sub of a minted token if its grant does not say.
const DefaultSubject = "sandbox-developer"

// The claims in which issuers of the wild put scopes.
const (
	ScopeClaim       = "scope"       // one string, words parted by spaces (RFC 9068)
	SCPClaim         = "scp"         // an array
	PermissionsClaim = "permissions" // an array
)

// Grant describes an access token to mint. The zero value is a token of
// DefaultSubject for the issuer's audience that lives an hour and has no scope.
type Grant struct {
	Subject string
	Scopes  []string
	// TTL is counted from now; negative mints an expired token.
	TTL time.Duration
	// ScopeClaim is the claim that carries Scopes: ScopeClaim, SCPClaim or
	// PermissionsClaim; empty is ScopeClaim.
	ScopeClaim string
	// Audience replaces the issuer's own; one element is written as a string.
	Audience []string
	// Algorithm is ES256 or RS256; empty is ES256.
	Algorithm string
	// Claims are added last and replace what is there; a nil value removes.
	Claims map[string]any
}

// Mint returns a signed access token, a JWT of type at+jwt (RFC 9068).
// It panics where Sign does.
func (i *Issuer) Mint(g Grant) string {
	if g.Subject == "" {
		g.Subject = DefaultSubject
	}
	if g.TTL == 0 {
		g.TTL = DefaultTTL
	}
	if g.ScopeClaim == "" {
		g.ScopeClaim = ScopeClaim
	}
	now := i.now()
	claims := map[string]any{
		"iss": i.url,
		"sub": g.Subject,
		"aud": i.audienceOf(g.Audience),
		"iat": now.Unix(),
		"nbf": now.Unix(),
		"exp": now.Add(g.TTL).Unix(),
		"jti": rand.Text(),
	}
	if g.ScopeClaim == ScopeClaim {
		claims[ScopeClaim] = strings.Join(g.Scopes, " ")
	} else {
		claims[g.ScopeClaim] = slices.Concat([]string{}, g.Scopes) // [] rather than null
	}
	overlay(claims, g.Claims)
	header := map[string]any{"typ": "at+jwt"}
	if g.Algorithm != "" {
		header["alg"] = g.Algorithm
	}
	return i.Sign(header, claims)
}

// Sign signs any claims under any header with the current key, for forgery
// tests. The header starts as alg ES256, typ JWT and the key's kid; what the
// caller gives replaces that, and a nil value removes a member. alg RS256
// signs with the RSA key; any other alg is written down as told while the
// ES256 key signs. It panics on what JSON cannot express, which only a caller's
// mistake brings about.
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
	switch len(own) {
	case 0:
		return i.audience
	case 1:
		return own[0]
	default:
		return own
	}
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
