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
	// maxKeys is far more than any issuer publishes.
	maxKeys = 100
	// minRSABits is the minimum of RFC 7518 section 3.3.
	minRSABits = 2048
	// maxRSABits bounds the cost of one verification.
	maxRSABits = 8192
)

var (
	errNotKeySet  = errors.New("not a JSON Web Key Set")
	errManyKeys   = fmt.Errorf("a key set of more than %d keys", maxKeys)
	errNoUsable   = errors.New("a key set without a usable key")
	errUnsuitable = errors.New("not a public signature key")
)

// keySet is what an issuer published at one time. It is immutable. Its keySource keeps it. Bound: maxKeys keys, each
// with a key id from a document of at most maxDocumentBytes and at most 8192 bits of key, so below 512 KiB.
type keySet struct {
	keys    []*key
	ignored int // keys of the document that are not used
	fetched time.Time
}

// key is a public key that verifies signatures.
type key struct {
	id         string // may be empty
	algorithm  string // the only one that it may be used with, or empty
	typ        keyType
	public     crypto.PublicKey
	thumbprint [sha256.Size]byte
}

// keyType is a type of key, which fits certain algorithms.
type keyType string

// keyTypeOf returns the type of key that an algorithm needs; only asymmetric algorithms are known.
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

// parseKeySet reads a JWKS (RFC 7517 section 5). Keys that are unusable or broken, or that repeat the kid and type of a
// previous key, are ignored; the others stay valid. A set without a usable key is an error, because it is far more
// often a mistake of the issuer than intended. A key that former already had keeps its pointer.
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

// parseKey reads one JWK, which must be public, for signatures, and strong enough.
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
	default: // a symmetric or a private key, which the issuer should not have published
		return nil, errUnsuitable
	}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, errUnsuitable
	}
	k.thumbprint = [sha256.Size]byte(sum)
	return k, nil
}

// same returns the equal key of s if it exists, otherwise k.
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

// has reports whether k itself, the pointer, is in the set.
func (s *keySet) has(k *key) bool { return slices.Contains(s.keys, k) }

// find returns the key for a token's alg and kid, or nil. known reports that the set has that kid, possibly for other
// algorithms, so that fetching the set again would not help. A token without kid is accepted only if exactly one key
// fits its algorithm; with several, the token would choose the key, not the issuer.
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
