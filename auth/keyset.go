package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// maxTried bounds how many keys are tried for a token. Issuers publish the key in use, its successor and a few
	// former ones.
	maxTried = 8
)

var (
	errNotKeySet = errors.New("not a JSON Web Key Set")
	errManyKeys  = fmt.Errorf("a key set of more than %d keys", maxKeys)
	errNoUsable  = errors.New("a key set without a usable key")

	// Why keys are ignored.
	errNotKey    = errors.New("not a key of a known type")
	errNotPublic = errors.New("secret")
	errUse       = errors.New("for encryption, or not for verification")
	errKeySize   = fmt.Errorf("RSA with less than %d or more than %d bits", minRSABits, maxRSABits)
	errListed    = errors.New("listed twice")
)

// keySet is what an issuer published at one time. It is immutable. Its keySource keeps it. Bound: maxKeys keys, each
// with a key id from a document of at most maxDocumentBytes and at most 8192 bits of key, so below 512 KiB.
type keySet struct {
	keys    []*key
	ignored []error // for each key of the document that is not used
	fetched time.Time
	origins []string // of the issuer's endpoints for pages, without its own
}

// key is a public key that verifies signatures.
type key struct {
	id         string // may be empty
	algorithm  string // the canonical name of the only one that it may be used with, or empty
	typ        keyType
	public     crypto.PublicKey
	thumbprint [sha256.Size]byte
}

// keyType is a type of key, which fits certain algorithms.
type keyType string

// algorithms returns those of tokens: every asymmetric one. Which of them an issuer may use follows from its keys: each
// algorithm needs a type of key, and a key may name its only algorithm.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
		jose.ES256, jose.ES384, jose.ES512, jose.EdDSA, algEd25519}
}

// keyTypeOf returns the type of key that one of the algorithms needs.
func keyTypeOf(alg string) keyType {
	switch jose.SignatureAlgorithm(alg) {
	case jose.ES256:
		return "P-256"
	case jose.ES384:
		return "P-384"
	case jose.ES512:
		return "P-521"
	case jose.EdDSA, algEd25519:
		return "Ed25519"
	default:
		return "RSA"
	}
}

// canonical returns the name of an algorithm that keys and tokens are compared by. RFC 9864 names EdDSA with an Ed25519
// key, the only one that is supported, Ed25519.
func canonical(alg string) string {
	if alg == algEd25519 {
		return string(jose.EdDSA)
	}
	return alg
}

const algEd25519 = "Ed25519"

// parseKeySet reads a JWKS (RFC 7517 section 5). Keys that are unusable or broken are ignored; the others stay valid. A
// set without a usable key is an error, because it is far more often a mistake of the issuer than intended. A key that
// former already had keeps its pointer.
func parseKeySet(body []byte, fetched time.Time, former *keySet) (*keySet, error) {
	var doc struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, formOf(body, errNotKeySet)
	}
	if len(doc.Keys) > maxKeys {
		return nil, errManyKeys
	}
	set := &keySet{fetched: fetched}
	for _, raw := range doc.Keys {
		k, err := parseKey(raw)
		if err == nil && slices.ContainsFunc(set.keys, k.equals) {
			err = errListed
		}
		if err != nil {
			set.ignored = append(set.ignored, err)
			continue
		}
		set.keys = append(set.keys, former.same(k))
	}
	if len(set.keys) == 0 {
		return nil, errNoUsable
	}
	return set, nil
}

// parseKey reads one JWK, which must be public, for signatures, and strong enough. Its certificates are not used, so
// they may be wrong.
func parseKey(raw []byte) (*key, error) {
	var restrictions struct {
		Use        string   `json:"use"`
		Operations []string `json:"key_ops"`
	}
	var members map[string]*json.RawMessage // a value would be encoded as bytes
	if json.Unmarshal(raw, &restrictions) != nil || json.Unmarshal(raw, &members) != nil {
		return nil, errNotKey
	}
	if restrictions.Use != "" && restrictions.Use != "sig" ||
		restrictions.Operations != nil && !slices.Contains(restrictions.Operations, "verify") {
		return nil, errUse
	}
	maps.DeleteFunc(members, func(name string, _ *json.RawMessage) bool { return strings.HasPrefix(name, "x5") })
	raw, err := json.Marshal(members)
	var jwk jose.JSONWebKey
	if err != nil || jwk.UnmarshalJSON(raw) != nil {
		return nil, errNotKey
	}
	k := &key{id: jwk.KeyID, algorithm: canonical(jwk.Algorithm), public: jwk.Key}
	switch public := jwk.Key.(type) {
	case *rsa.PublicKey:
		if bits := public.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return nil, errKeySize
		}
		k.typ = "RSA"
	case *ecdsa.PublicKey:
		k.typ = keyType(public.Curve.Params().Name)
	case ed25519.PublicKey:
		k.typ = "Ed25519"
	default: // a symmetric or a private key, which the issuer should not have published
		return nil, errNotPublic
	}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, errNotKey
	}
	k.thumbprint = [sha256.Size]byte(sum)
	return k, nil
}

// equals reports whether two keys are the same one, for the same tokens.
func (k *key) equals(o *key) bool {
	return o.id == k.id && o.algorithm == k.algorithm && o.thumbprint == k.thumbprint
}

// verifies reports whether a token, which jws was parsed from, was signed with the key.
func (k *key) verifies(token string, jws *jose.JSONWebSignature) bool {
	signature := jws.Signatures[0]
	if signature.Protected.Algorithm == algEd25519 { // which go-jose does not know
		public, ok := k.public.(ed25519.PublicKey)
		return ok && ed25519.Verify(public, []byte(token[:strings.LastIndexByte(token, '.')]), signature.Signature)
	}
	_, err := jws.Verify(k.public)
	return err == nil
}

// same returns the equal key of s if it exists, otherwise k.
func (s *keySet) same(k *key) *key {
	if s != nil {
		if i := slices.IndexFunc(s.keys, k.equals); i >= 0 {
			return s.keys[i]
		}
	}
	return k
}

// has reports whether k itself, the pointer, is in the set.
func (s *keySet) has(k *key) bool { return s != nil && slices.Contains(s.keys, k) }

// names reports whether a key of the set has the id.
func (s *keySet) names(kid string) bool {
	return slices.ContainsFunc(s.keys, func(k *key) bool { return k.id == kid })
}

// prove returns the key that verifies a token with this alg and kid, or else the reason why no key does. Issuers list
// a key once for each algorithm, or give no ids, so several keys may fit. Those of former have been tried before.
func (s *keySet) prove(alg, kid string, former *keySet, verifies func(*key) bool) (*key, Reason) {
	typ := keyTypeOf(alg)
	reason, tried := ReasonUnknownKey, 0
	for _, k := range s.keys {
		if kid != "" && k.id != kid || k.typ != typ || k.algorithm != "" && k.algorithm != canonical(alg) {
			continue
		}
		reason = ReasonSignature
		if former.has(k) {
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		if verifies(k) {
			return k, ""
		}
	}
	return nil, reason
}
