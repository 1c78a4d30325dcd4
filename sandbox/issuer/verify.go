package issuer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// ErrInvalidToken is wrapped by every error of Verify.
var ErrInvalidToken = errors.New("issuer: invalid token")

// Claims are the claims of a valid token of this issuer.
type Claims struct {
	Subject string
	// Scopes is the union of the claims scope, scp, permissions and roles, sorted.
	Scopes []string
	Expiry time.Time
}

// HasScope reports whether the token carries the scope.
func (c Claims) HasScope(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Verify checks an access token as the sandbox's APIs do: the signature with a key of the current set, iss, aud, sub,
// exp and nbf, without leeway. Every error wraps ErrInvalidToken and contains nothing of the token.
func (i *Issuer) Verify(token string) (Claims, error) {
	jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256, jose.RS256})
	if err != nil {
		return Claims{}, fmt.Errorf("%w: not a signed JWT", ErrInvalidToken)
	}
	set, keys := i.KeySet(), &oidc.StaticKeySet{}
	for _, key := range set.Key(jws.Signatures[0].Protected.KeyID) { // none for a token without an id
		keys.PublicKeys = append(keys.PublicKeys, key.Key)
	}
	verified, err := oidc.NewVerifier("", keys, &oidc.Config{
		ClientID: i.audience, SkipIssuerCheck: true, // which knows one only
		SkipExpiryCheck:      true, // which has a leeway
		SupportedSigningAlgs: []string{ES256, RS256},
	}).Verify(context.Background(), token)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: wrong signature, audience or type of a claim", ErrInvalidToken)
	}
	var c struct {
		NotBefore   float64 `json:"nbf"`
		Scope       words   `json:"scope"`
		SCP         words   `json:"scp"`
		Permissions words   `json:"permissions"`
		Roles       words   `json:"roles"`
	}
	if err := verified.Claims(&c); err != nil {
		return Claims{}, fmt.Errorf("%w: claims of a wrong type", ErrInvalidToken)
	}
	now := i.now()
	switch {
	case !slices.Contains(i.urls, verified.Issuer):
		return Claims{}, fmt.Errorf("%w: another issuer", ErrInvalidToken)
	case verified.Subject == "":
		return Claims{}, fmt.Errorf("%w: no subject", ErrInvalidToken)
	case !now.Before(verified.Expiry):
		return Claims{}, fmt.Errorf("%w: expired", ErrInvalidToken)
	case float64(now.UnixNano())/1e9 < c.NotBefore:
		return Claims{}, fmt.Errorf("%w: not valid yet", ErrInvalidToken)
	}
	scopes := splitAll(slices.Concat(c.Scope, c.SCP, c.Permissions, c.Roles))
	slices.Sort(scopes)
	return Claims{
		Subject: verified.Subject,
		Scopes:  slices.Compact(scopes),
		Expiry:  verified.Expiry.UTC(),
	}, nil
}

// words is a claim that is a string or an array of strings.
type words []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(w))
}

// splitAll splits "a b" into a and b: only a string claim contains spaces.
func splitAll(in []string) []string {
	var out []string
	for _, s := range in {
		out = append(out, strings.Fields(s)...)
	}
	return out
}
