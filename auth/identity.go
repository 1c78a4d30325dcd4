package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Identity identifies the caller of a request. It is immutable, so all requests with the same token share one. If it is
// printed, logged or encoded, it shows String alone, also as an unexported field of another printed value.
type Identity struct {
	issuer      string
	scopes      []string // sorted, each once
	scopesKnown bool
	expiry      time.Time
	digest      [sha256.Size]byte
	caller      string
	bearer      *string          // a pointer, because fmt prints unexported fields that have methods
	accepted    *cache[struct{}] // nil if the gateway has verified the token
}

// newVerified returns the identity of a verified token.
func newVerified(token string, digest [sha256.Size]byte, c *claims) *Identity {
	return &Identity{
		issuer: c.Issuer,
		scopes: c.scopes(), scopesKnown: c.saysScopes(),
		expiry: c.Expiry.time(),
		digest: digest,
		caller: c.caller(),
		bearer: &token,
	}
}

// newForwarded returns the identity of a token that the gateway has not verified.
func newForwarded(token string, digest [sha256.Size]byte, accepted *cache[struct{}]) *Identity {
	return &Identity{digest: digest, caller: string(digest[:]), bearer: &token, accepted: accepted}
}

// Issuer is the token's iss; empty in forward mode.
func (id *Identity) Issuer() string { return id.issuer }

// Scopes are the scopes of the token, sorted; nil in forward mode.
func (id *Identity) Scopes() []string { return slices.Clone(id.scopes) }

// ScopesKnown reports whether the token has no other scopes than Scopes. In forward mode, or if no claim of the token
// says so, only the APIs know.
func (id *Identity) ScopesKnown() bool { return id.scopesKnown }

// HasScope reports whether the token carries the scope; false in forward mode.
func (id *Identity) HasScope(scope string) bool {
	_, ok := slices.BinarySearch(id.scopes, scope)
	return ok
}

// Expiry is the token's exp, in UTC; zero in forward mode.
func (id *Identity) Expiry() time.Time { return id.expiry }

// Bearer is the token as received, without its scheme. It may be sent only to the two APIs.
func (id *Identity) Bearer() string { return *id.bearer }

// Digest is the SHA-256 of the token: the key of any cached data that this token may read. Two tokens of one caller may
// have different rights, so they have different digests.
func (id *Identity) Digest() [sha256.Size]byte { return id.digest }

// Caller is a key of the caller that is the same for all of the caller's tokens, for rate limits: the 32 bytes of the
// SHA-256 of issuer and subject, or in forward mode of the token. It must not be used as a key of cached data; use
// Digest. In forward mode anyone can invent callers, so what callers share is divided by request.Call.Share.
func (id *Identity) Caller() string { return id.caller }

// Accepted reports whether the gateway has verified the token or, in forward mode, whether an API has accepted it. A
// token that is not accepted may be invented. The result may change at any time.
func (id *Identity) Accepted() bool {
	if id.accepted == nil {
		return true
	}
	_, ok := id.accepted.get(id.digest)
	return ok
}

// Accept remembers that an API has accepted the token.
func (id *Identity) Accept() {
	if !id.Accepted() {
		id.accepted.add("", id.digest, struct{}{})
	}
}

// String is a short label of the caller, the same for all of the caller's tokens.
func (id Identity) String() string { return "caller " + hex.EncodeToString([]byte(id.caller[:4])) }

// Format writes String, whatever the verb.
func (id Identity) Format(f fmt.State, _ rune) { fmt.Fprint(f, id.String()) }

// LogValue implements slog.LogValuer with String.
func (id Identity) LogValue() slog.Value { return slog.StringValue(id.String()) }

// MarshalJSON encodes String.
func (id Identity) MarshalJSON() ([]byte, error) { return json.Marshal(id.String()) }
