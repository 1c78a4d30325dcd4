package issuer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// Algorithms an issuer signs with.
const (
	ES256 = "ES256" // the default: creating a key takes microseconds
	RS256 = "RS256" // 2048 bits, created on first use
)

// rsaBits is the minimum of RFC 7518 section 3.3.
const rsaBits = 2048

// keyRing has the signing keys and the former keys that still verify. Keys always come from crypto/rand, never from a
// seed.
type keyRing struct {
	ec   *ecdsa.PrivateKey
	rsa  *rsa.PrivateKey // nil until first used
	past []jose.JSONWebKey
}

// Rotate creates a new signing key. If keepOld is true, the former keys stay in the key set for verification. Otherwise
// they are withdrawn and tokens signed with them become invalid.
func (i *Issuer) Rotate(keepOld bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys.rotate(keepOld)
}

// KeySet is the set of public keys that PathJWKS serves, the current ES256 key first.
func (i *Issuer) KeySet() jose.JSONWebKeySet {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys.public()
}

func (k *keyRing) rotate(keepOld bool) {
	var past []jose.JSONWebKey
	if keepOld {
		past = k.public().Keys
	}
	*k = keyRing{ec: newKey(), past: past}
}

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil { // crypto/rand does not fail on a supported system
		panic(fmt.Sprintf("issuer: make a key: %v", err))
	}
	return key
}

func (k *keyRing) public() jose.JSONWebKeySet {
	var set jose.JSONWebKeySet
	if k.ec != nil {
		set.Keys = append(set.Keys, publicKey(ES256, &k.ec.PublicKey))
	}
	if k.rsa != nil {
		set.Keys = append(set.Keys, publicKey(RS256, &k.rsa.PublicKey))
	}
	set.Keys = append(set.Keys, k.past...)
	return set
}

// sign returns the JWS signature of input, with the RSA key for RS256 and with the ES256 key for any other algorithm.
func (k *keyRing) sign(alg string, input []byte) ([]byte, error) {
	digest := sha256.Sum256(input)
	if alg == RS256 {
		return rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, digest[:])
	}
	r, s, err := ecdsa.Sign(rand.Reader, k.ec, digest[:])
	if err != nil {
		return nil, err
	}
	sig := make([]byte, 64) // RFC 7518 section 3.4: two integers of 32 octets
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:])
	return sig, nil
}

// keyID is the id of the key that sign would use; it creates the key if necessary.
func (k *keyRing) keyID(alg string) string {
	if alg != RS256 {
		return thumbprint(&k.ec.PublicKey)
	}
	if k.rsa == nil {
		key, err := rsa.GenerateKey(rand.Reader, rsaBits)
		if err != nil {
			panic(fmt.Sprintf("issuer: make an RSA key: %v", err))
		}
		k.rsa = key
	}
	return thumbprint(&k.rsa.PublicKey)
}

func publicKey(alg string, key crypto.PublicKey) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key, KeyID: thumbprint(key), Algorithm: alg, Use: "sig"}
}

// thumbprint derives a key's id from the key (RFC 7638), so that a key with other values never has the same id.
func thumbprint(key crypto.PublicKey) string {
	jwk := jose.JSONWebKey{Key: key}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		panic(fmt.Sprintf("issuer: thumbprint of a %T: %v", key, err))
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}
