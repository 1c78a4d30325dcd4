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

// Identity is who calls, as far as it is known. It never changes, so one is
// shared by all requests that bring the same token. Printed, logged or encoded
// it shows neither token nor subject; the token not even as a field, copied, of
// some other printed value.
type Identity struct {
	subject, issuer string
	scopes          []string // sorted, each once
	scopesKnown     bool
	expiry          time.Time
	digest          [sha256.Size]byte
	caller          string
	bearer          *string // a pointer, for fmt prints unexported fields that have methods
}

// newVerified is the identity of a token that has been verified.
func newVerified(token string, digest [sha256.Size]byte, c *claims, expiry time.Time) *Identity {
	// The zero byte parts the two: it stands in no URL.
	caller := sha256.Sum256([]byte(c.Issuer + "\x00" + c.Subject))
	return &Identity{
		subject:     c.Subject,
		issuer:      c.Issuer,
		scopes:      c.scopes(),
		scopesKnown: true,
		expiry:      expiry,
		digest:      digest,
		caller:      string(caller[:]),
		bearer:      &token,
	}
}

// newForwarded is the identity of a token that nobody here has verified.
func newForwarded(token string, digest [sha256.Size]byte) *Identity {
	return &Identity{digest: digest, caller: string(digest[:]), bearer: &token}
}

// Subject is the token's sub; empty in forward mode.
func (id *Identity) Subject() string { return id.subject }

// Issuer is the token's iss; empty in forward mode.
func (id *Identity) Issuer() string { return id.issuer }

// Scopes are the scopes of the token, sorted; nil in forward mode.
func (id *Identity) Scopes() []string { return slices.Clone(id.scopes) }

// ScopesKnown tells whether Scopes and HasScope mean anything: not in forward
// mode, where only the APIs know.
func (id *Identity) ScopesKnown() bool { return id.scopesKnown }

// HasScope tells whether the token carries the scope; false in forward mode.
func (id *Identity) HasScope(scope string) bool {
	_, ok := slices.BinarySearch(id.scopes, scope)
	return ok
}

// Expiry is the token's exp, in UTC; zero in forward mode.
func (id *Identity) Expiry() time.Time { return id.expiry }

// Bearer is the token as it came, without its scheme: to be sent to the two
// APIs and nowhere else.
func (id *Identity) Bearer() string { return *id.bearer }

// Digest is the SHA-256 of the token: the key for anything cached of what this
// token may read. Two tokens of one caller may differ in rights, so they differ
// here.
func (id *Identity) Digest() [sha256.Size]byte { return id.digest }

// Caller is a key of who calls whichever token they bring, for rate limits: the
// 32 bytes of the SHA-256 of issuer and subject, and in forward mode of that of
// the token. It is no key for cached answers; Digest is.
func (id *Identity) Caller() string { return id.caller }

// String is a short mark of the caller, the same for all of their tokens.
func (id Identity) String() string { return "caller " + hex.EncodeToString([]byte(id.caller[:4])) }

// Format writes String for every verb.
func (id Identity) Format(f fmt.State, _ rune) { fmt.Fprint(f, id.String()) }

// LogValue implements slog.LogValuer by String.
func (id Identity) LogValue() slog.Value { return slog.StringValue(id.String()) }

// MarshalJSON encodes String.
func (id Identity) MarshalJSON() ([]byte, error) { return json.Marshal(id.String()) }
