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
	ES256 = "ES256" // the default: its keys are made in microseconds
	RS256 = "RS256" // 2048 bits, made on first use
)

// rsaBits is the least that RFC 7518 section 3.3 allows.
const rsaBits = 2048

// keyRing holds the keys that sign and those that only still verify. Key
// material always comes from crypto/rand: no seed reaches it.
type keyRing struct {
	ec   *ecdsa.PrivateKey
	rsa  *rsa.PrivateKey // nil until first used
	past []jose.JSONWebKey
}

// Rotate makes a new signing key. The former ones stay in the key set, to
// verify with, if keepOld says so; otherwise they are withdrawn and tokens
// signed with them are no longer valid.
func (i *Issuer) Rotate(keepOld bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys.rotate(keepOld)
}

// KeySet is the set of public keys as served at PathJWKS, the current ES256
// key first.
func (i *Issuer) KeySet() jose.JSONWebKeySet {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys.public()
}

func (k *keyRing) rotate(keepOld bool) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil { // crypto/rand does not fail on a supported system
		panic(fmt.Sprintf("issuer: make a key: %v", err))
	}
	var past []jose.JSONWebKey
	if keepOld {
		past = k.public().Keys
	}
	*k = keyRing{ec: ec, past: past}
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

// sign returns the JWS signature of input, by the RSA key for RS256 and by the
// ES256 key for whatever else the algorithm claims to be.
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

// keyID is the id of the key that sign would use, which it makes if need be.
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

// thumbprint names a key by its contents (RFC 7638), so that a key of another
// run never has the same id.
func thumbprint(key crypto.PublicKey) string {
	jwk := jose.JSONWebKey{Key: key}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		panic(fmt.Sprintf("issuer: thumbprint of a %T: %v", key, err))
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}
