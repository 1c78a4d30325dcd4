package auth

import (
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	// go-jose's own decoder tells "sub" from "Sub" and rejects a duplicate member. With encoding/json a custom claim
	// could stand in for a registered one.
	"github.com/go-jose/go-jose/v4/json"
	"github.com/go-jose/go-jose/v4/jwt"
)

var (
	errNoSubject  = errors.New("sub is missing or empty")
	errNoExpiry   = errors.New("exp is missing")
	errClaimTypes = errors.New("claims of a wrong type")
)

// claims are the claims that the gateway checks or uses (RFC 9068 section 2.2, RFC 7519).
type claims struct {
	Issuer      string       `json:"iss"`
	Subject     string       `json:"sub"`
	Audience    jwt.Audience `json:"aud"`
	Expiry      *numericDate `json:"exp"`
	NotBefore   *numericDate `json:"nbf"`
	IssuedAt    *numericDate `json:"iat"`
	Scope       scopeList    `json:"scope"`
	SCP         scopeList    `json:"scp"`
	Permissions scopeList    `json:"permissions"`
	Roles       scopeList    `json:"roles"`
	Bound       confirmation `json:"cnf"`

	Nonce           *json.RawMessage `json:"nonce"`
	AccessTokenHash *json.RawMessage `json:"at_hash"`
	TokenUse        json.RawMessage  `json:"token_use"`
}

func parseClaims(payload []byte) (*claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, errClaimTypes // the decoder's own message may quote the token
	}
	return &c, nil
}

// check validates all claims that need no key. Leeway extends both ends of a token's lifetime. At exp itself the
// token has expired (RFC 7519 section 4.1.4).
func (c *claims) check(audiences []string, now time.Time) *Error {
	switch {
	case c.Subject == "":
		return &Error{Reason: ReasonInvalidClaims, Err: errNoSubject}
	case c.Expiry == nil:
		return &Error{Reason: ReasonInvalidClaims, Err: errNoExpiry}
	case !now.Before(c.Expiry.time().Add(Leeway)):
		return &Error{Reason: ReasonExpired}
	case !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(audiences, a) }):
		return &Error{Reason: ReasonAudience}
	case c.NotBefore != nil && now.Before(c.NotBefore.time().Add(-Leeway)),
		c.IssuedAt != nil && now.Before(c.IssuedAt.time().Add(-Leeway)):
		return &Error{Reason: ReasonNotYetValid}
	}
	return nil
}

// caller is the key of the caller. A zero byte separates issuer and subject: no URL contains it.
func (c *claims) caller() string {
	sum := sha256.Sum256([]byte(c.Issuer + "\x00" + c.Subject))
	return string(sum[:])
}

// saysScopes reports whether the claims say which scopes the token has. Without any of these three, it may have scopes
// that only the APIs know. Roles do not say it: they may be others than scopes.
func (c *claims) saysScopes() bool { return c.Scope != nil || c.SCP != nil || c.Permissions != nil }

// isIDToken reports whether the token is one for its client, and not for an API, as far as that can be known: by
// token_use (Amazon Cognito), or by claims of a sign-in in a token without scopes (OpenID Connect Core 1.0, section 2).
// Some access tokens have such claims too (those of Keycloak before version 24 have nonce), but with scopes.
func (c *claims) isIDToken() bool {
	return string(c.TokenUse) == `"id"` || (c.Nonce != nil || c.AccessTokenHash != nil) && !c.saysScopes()
}

// scopes is the union of the claims that issuers use, sorted. The scopes are copies, because the cache keeps
// them: substrings would keep the whole claims in memory, which are longer than the scopes if some occur twice.
func (c *claims) scopes() []string {
	all := slices.Concat(c.Scope, c.SCP, c.Permissions, c.Roles)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		return nil
	}
	copies := make([]string, len(all))
	for i, scope := range all {
		copies[i] = strings.Clone(scope)
	}
	return copies
}

// scopeList is a string of scopes separated by spaces, or an array with one scope per element. It is nil if the claim
// is absent or has another form: issuers also use these names for something else.
type scopeList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *scopeList) UnmarshalJSON(b []byte) error {
	var one string
	var several []string
	switch {
	case string(b) == "null":
	case json.Unmarshal(b, &one) == nil:
		*l = strings.Fields(one)
	case json.Unmarshal(b, &several) == nil:
		*l = several
	}
	return nil
}

// numericDate is seconds since 1970, possibly with a fraction (RFC 7519 section 2).
type numericDate float64

// maxNumericDate is the end of the year 9999. Up to there time.Time and float64 represent every second.
const maxNumericDate = 253402300799

// UnmarshalJSON implements json.Unmarshaler.
func (d *numericDate) UnmarshalJSON(b []byte) error {
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	if f < 0 || f > maxNumericDate {
		return errClaimTypes
	}
	*d = numericDate(f)
	return nil
}

func (d numericDate) time() time.Time {
	seconds, fraction := math.Modf(float64(d))
	return time.Unix(int64(seconds), int64(fraction*1e9)).UTC()
}
