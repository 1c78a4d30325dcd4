package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

const (
	// maxKeys is far above what any issuer publishes.
	maxKeys = 100
	// minRSABits is the least that RFC 7518 section 3.3 allows.
	minRSABits = 2048
	// maxRSABits bounds what one verification may cost.
	maxRSABits = 8192
)

var (
	errNotKeySet  = errors.New("not a JSON Web Key Set")
	errManyKeys   = fmt.Errorf("a key set of more than %d keys", maxKeys)
	errNoUsable   = errors.New("a key set without a usable key")
	errUnsuitable = errors.New("not a public signature key")
)

// keySet is what an issuer published at one time. It never changes. It is kept
// by its keySource. Bound: maxKeys keys, each with a key id out of a document
// of maxDocumentBytes and at most 8192 bits of key, so below 512 KiB.
type keySet struct {
	keys    []*key
	ignored int // keys that were there and are not used
	fetched time.Time
}

// key is a public key that verifies signatures.
type key struct {
	id         string // may be empty
	algorithm  string // the one that it is restricted to, or empty
	typ        keyType
	public     crypto.PublicKey
	thumbprint [sha256.Size]byte
}

// keyType is a kind of key that fits certain algorithms.
type keyType string

// keyTypeOf tells which keys fit an algorithm; only asymmetric ones are known.
func keyTypeOf(alg string) (keyType, bool) {
	switch jose.SignatureAlgorithm(alg) {
	case jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512:
		return "RSA", true
	case jose.ES256:
		return "P-256", true
	case jose.ES384:
		return "P-384", true
	case jose.ES512:
		return "P-521", true
	case jose.EdDSA:
		return "Ed25519", true
	default:
		return "", false
	}
}

// parseKeySet reads a JWKS (RFC 7517 section 5). Keys that cannot serve, or
// whose kid and type another key had before, are ignored, and so are broken
// ones: they spoil nothing but themselves. A set without a usable key is an
// error, for it is a mishap of the issuer far more often than its wish. Keys
// that former had already keep their identity.
func parseKeySet(body []byte, fetched time.Time, former *keySet) (*keySet, error) {
	var doc struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, errNotKeySet
	}
	if len(doc.Keys) > maxKeys {
		return nil, errManyKeys
	}
	set := &keySet{fetched: fetched}
	for _, raw := range doc.Keys {
		k, err := parseKey(raw)
		if err != nil || slices.ContainsFunc(set.keys, func(o *key) bool { return o.id == k.id && o.typ == k.typ }) {
			set.ignored++
			continue
		}
		set.keys = append(set.keys, former.same(k))
	}
	if len(set.keys) == 0 {
		return nil, errNoUsable
	}
	return set, nil
}

// parseKey reads one JWK, which must be public, for signatures, and strong.
func parseKey(raw []byte) (*key, error) {
	var restrictions struct {
		Use        string   `json:"use"`
		Operations []string `json:"key_ops"`
	}
	var jwk jose.JSONWebKey
	if json.Unmarshal(raw, &restrictions) != nil || jwk.UnmarshalJSON(raw) != nil ||
		restrictions.Use != "" && restrictions.Use != "sig" ||
		restrictions.Operations != nil && !slices.Contains(restrictions.Operations, "verify") {
		return nil, errUnsuitable
	}
	k := &key{id: jwk.KeyID, algorithm: jwk.Algorithm, public: jwk.Key}
	switch public := jwk.Key.(type) {
	case *rsa.PublicKey:
		if bits := public.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return nil, errUnsuitable
		}
		k.typ = "RSA"
	case *ecdsa.PublicKey:
		k.typ = keyType(public.Curve.Params().Name)
	case ed25519.PublicKey:
		k.typ = "Ed25519"
	default: // a symmetric or a private key, which the issuer ought to have kept
		return nil, errUnsuitable
	}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, errUnsuitable
	}
	k.thumbprint = [sha256.Size]byte(sum)
	return k, nil
}

// same returns the equal key of s if there is one, otherwise k.
func (s *keySet) same(k *key) *key {
	if s != nil {
		for _, old := range s.keys {
			if old.id == k.id && old.algorithm == k.algorithm && old.thumbprint == k.thumbprint {
				return old
			}
		}
	}
	return k
}

// has tells whether k itself is in the set.
func (s *keySet) has(k *key) bool { return slices.Contains(s.keys, k) }

// find returns the key for a token's alg and kid, or nil. known tells that the
// set has that kid, for other algorithms perhaps, so that fetching it anew is
// no use. A token without kid is served only if exactly one key fits its
// algorithm: among several the choice would be the token's, not the issuer's.
func (s *keySet) find(alg, kid string) (found *key, known bool) {
	typ, _ := keyTypeOf(alg)
	fits := 0
	for _, k := range s.keys {
		if kid != "" && k.id != kid {
			continue
		}
		known = known || kid != ""
		if k.typ == typ && (k.algorithm == "" || k.algorithm == alg) {
			found = k
			fits++
		}
	}
	switch fits {
	case 0:
		return nil, known
	case 1:
		return found, true
	default: // only without kid: kid and type are unique in a set
		return nil, true
	}
}
