package auth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

// forge encodes a JWT and signs it with sign.
func forge(t *testing.T, header, claims map[string]any, sign func(input []byte) []byte) string {
	t.Helper()
	part := func(v any) string {
		b, err := json.Marshal(v)
		must(t, err)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	input := part(header) + "." + part(claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(input)))
}

// publicPEM is the current public key, in the form that HS256 confusion attacks use as the secret.
func publicPEM(t *testing.T, iss *issuer.Issuer) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(iss.KeySet().Keys[0].Key)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func TestTokensUnderAttack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		iss.Mint(issuer.Grant{Algorithm: issuer.RS256}) // so that a key of each type exists
		a := newAuth(t, network, iss)

		now := time.Now().Unix()
		expired, early := now-int64(auth.Leeway.Seconds()), now+int64(auth.Leeway.Seconds())
		good := func() map[string]any {
			return map[string]any{"iss": iss.URL(), "sub": "canary-subject", "aud": testAudience, "exp": now + 60}
		}
		with := func(name string, value any) map[string]any {
			m := good()
			m[name] = value
			return m
		}
		without := func(name string) map[string]any {
			m := good()
			delete(m, name)
			return m
		}
		sign := func(header map[string]any) string { return iss.Sign(header, good()) }
		claims := func(m map[string]any) string { return iss.Sign(nil, m) }
		es, rs := iss.KeySet().Keys[0], iss.KeySet().Keys[1]

		attacker, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		byAttacker := func(extra map[string]any) string {
			header := map[string]any{"alg": "ES256"}
			maps.Copy(header, extra)
			return forge(t, header, good(), func(input []byte) []byte {
				digest := sha256.Sum256(input)
				r, s, err := ecdsa.Sign(rand.Reader, attacker, digest[:])
				must(t, err)
				sig := make([]byte, 64)
				r.FillBytes(sig[:32])
				s.FillBytes(sig[32:])
				return sig
			})
		}
		bySecret := func(secret []byte) string {
			return forge(t, map[string]any{"alg": "HS256", "kid": es.KeyID}, good(), func(input []byte) []byte {
				mac := hmac.New(sha256.New, secret)
				mac.Write(input)
				return mac.Sum(nil)
			})
		}
		unsigned := func([]byte) []byte { return nil }
		attackerJWK := jose.JSONWebKey{Key: &attacker.PublicKey}
		parts := strings.Split(sign(nil), ".")
		twice := `{"iss":"` + iss.URL() + `","sub":"a","sub":"b","aud":"` + testAudience + `","exp":9999999999}`

		tests := []struct {
			name  string
			token string
			want  auth.Reason // "" is accepted
		}{
			{"good", sign(nil), ""},
			{"good RS256", sign(map[string]any{"alg": "RS256"}), ""},

			{"alg none, unsigned", forge(t, map[string]any{"alg": "none"}, good(), unsigned), auth.ReasonAlgorithm},
			{"alg None", forge(t, map[string]any{"alg": "None"}, good(), unsigned), auth.ReasonAlgorithm},
			{"alg none, signed", sign(map[string]any{"alg": "none"}), auth.ReasonAlgorithm},
			{"no alg", sign(map[string]any{"alg": nil}), auth.ReasonAlgorithm},
			{"alg a number", sign(map[string]any{"alg": 5}), auth.ReasonAlgorithm},
			{"HS256 with the public key as secret", bySecret(publicPEM(t, iss)), auth.ReasonAlgorithm},
			{"HS256 with an empty secret", bySecret(nil), auth.ReasonAlgorithm},
			{"ES384, with a key for ES256", sign(map[string]any{"alg": "ES384"}), auth.ReasonUnknownKey},
			{"es256 in lower case", sign(map[string]any{"alg": "es256"}), auth.ReasonAlgorithm},
			{"RS256 with the kid of the EC key", sign(map[string]any{"alg": "RS256", "kid": es.KeyID}), auth.ReasonUnknownKey},
			{"ES256 with the kid of the RSA key", sign(map[string]any{"kid": rs.KeyID}), auth.ReasonUnknownKey},

			{"no kid, one key of the type", sign(map[string]any{"kid": nil}), ""},
			{"empty kid, one key of the type", sign(map[string]any{"kid": ""}), ""},
			{"unknown kid", sign(map[string]any{"kid": "unknown"}), auth.ReasonUnknownKey},
			{"kid a number", sign(map[string]any{"kid": 7}), auth.ReasonMalformed},
			{"kid an object", sign(map[string]any{"kid": map[string]any{}}), auth.ReasonMalformed},
			{"kid a path", sign(map[string]any{"kid": "../../dev/null"}), auth.ReasonUnknownKey},

			{"attacker's key, no kid", byAttacker(nil), auth.ReasonSignature},
			{"attacker's key with a known kid", byAttacker(map[string]any{"kid": es.KeyID}), auth.ReasonSignature},
			{"attacker's key in jwk", byAttacker(map[string]any{"jwk": attackerJWK}), auth.ReasonSignature},
			{"attacker's key in jwk, own kid", byAttacker(map[string]any{"jwk": attackerJWK, "kid": "mine"}), auth.ReasonUnknownKey},
			{"jku", byAttacker(map[string]any{"jku": "http://127.0.0.1:1/jwks", "kid": "mine"}), auth.ReasonUnknownKey},
			{"x5u", byAttacker(map[string]any{"x5u": "http://127.0.0.1:1/cert", "kid": es.KeyID}), auth.ReasonSignature},
			{"x5c that is not a certificate", byAttacker(map[string]any{"x5c": []string{"AAAA"}, "kid": es.KeyID}), auth.ReasonMalformed},
			{"jwk with a valid signature is ignored", sign(map[string]any{"jwk": attackerJWK}), ""},

			{"crit", sign(map[string]any{"crit": []string{"exp"}, "exp": 1}), auth.ReasonMalformed},
			{"crit of b64", sign(map[string]any{"crit": []string{"b64"}, "b64": true}), auth.ReasonMalformed},
			{"empty crit", sign(map[string]any{"crit": []string{}}), auth.ReasonMalformed},
			{"typ at+jwt", sign(map[string]any{"typ": "at+jwt"}), ""},
			{"typ application/at+JWT", sign(map[string]any{"typ": "application/at+JWT"}), ""},
			{"no typ", sign(map[string]any{"typ": nil}), ""},
			{"typ logout+jwt", sign(map[string]any{"typ": "logout+jwt"}), auth.ReasonMalformed},
			{"typ dpop+jwt", sign(map[string]any{"typ": "dpop+jwt"}), auth.ReasonMalformed},

			{"claims of another token", parts[0] + "." + strings.Split(claims(with("sub", "admin")), ".")[1] + "." + parts[2], auth.ReasonSignature},
			{"no signature", parts[0] + "." + parts[1] + ".", auth.ReasonSignature},
			{"signature of zeros", parts[0] + "." + parts[1] + "." + strings.Repeat("A", 86), auth.ReasonSignature},
			{"two parts", parts[0] + "." + parts[1], auth.ReasonMalformed},
			{"four parts", strings.Join(parts, ".") + ".x", auth.ReasonMalformed},
			{"five parts, as encrypted", "a.b.c.d.e", auth.ReasonMalformed},
			{"not a JWT", "opaque", auth.ReasonMalformed},
			{"header not JSON", "AAAA." + parts[1] + "." + parts[2], auth.ReasonMalformed},
			{"padded parts", parts[0] + "." + parts[1] + "." + parts[2] + "==", auth.ReasonMalformed},

			{"expired", claims(with("exp", expired-1)), auth.ReasonExpired},
			{"expires now", claims(with("exp", expired)), auth.ReasonExpired},
			{"no exp", claims(without("exp")), auth.ReasonInvalidClaims},
			{"exp null", claims(with("exp", nil)), auth.ReasonInvalidClaims},
			{"exp a string", claims(with("exp", "9999999999")), auth.ReasonInvalidClaims},
			{"exp negative", claims(with("exp", -1)), auth.ReasonInvalidClaims},
			{"exp out of range", claims(with("exp", 1e300)), auth.ReasonInvalidClaims},
			{"exp with a fraction", claims(with("exp", float64(expired)+0.5)), ""},
			{"nbf in the future", claims(with("nbf", early+1)), auth.ReasonNotYetValid},
			{"nbf now", claims(with("nbf", early)), ""},
			{"iat in the future", claims(with("iat", early+1)), auth.ReasonNotYetValid},
			{"nbf an object", claims(with("nbf", map[string]any{})), auth.ReasonInvalidClaims},

			{"another issuer", claims(with("iss", "https://id.example")), auth.ReasonIssuer},
			{"issuer with a trailing slash", claims(with("iss", iss.URL()+"/")), auth.ReasonIssuer},
			{"issuer in upper case", claims(with("iss", strings.ToUpper(iss.URL()))), auth.ReasonIssuer},
			{"no issuer", claims(without("iss")), auth.ReasonIssuer},
			{"another audience", claims(with("aud", "other")), auth.ReasonAudience},
			{"audience with the same prefix", claims(with("aud", testAudience+"2")), auth.ReasonAudience},
			{"no audience", claims(without("aud")), auth.ReasonAudience},
			{"empty audiences", claims(with("aud", []string{})), auth.ReasonAudience},
			{"audience a number", claims(with("aud", 5)), auth.ReasonInvalidClaims},
			{"no subject", claims(without("sub")), auth.ReasonInvalidClaims},
			{"empty subject", claims(with("sub", "")), auth.ReasonInvalidClaims},
			{"subject a number", claims(with("sub", 5)), auth.ReasonInvalidClaims},
			{"Sub does not stand in for sub", claims(map[string]any{"iss": iss.URL(), "Sub": "admin", "aud": testAudience, "exp": now + 60}), auth.ReasonInvalidClaims},
			{"a claim twice", parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(twice)) + "." + parts[2], auth.ReasonInvalidClaims},
			{"scope a number", claims(with("scope", 5)), ""},
			{"permissions with objects", claims(with("permissions", []any{map[string]any{"id": 1}})), ""},
			{"an ID token of Amazon Cognito", claims(with("token_use", "id")), auth.ReasonIDToken},
			{"an access token of Amazon Cognito", claims(with("token_use", "access")), ""},
			{"an ID token with nonce", claims(with("nonce", "n")), auth.ReasonIDToken},
			{"an ID token with at_hash", claims(with("at_hash", "h")), auth.ReasonIDToken},
			{"nonce in an access token by its type", iss.Sign(map[string]any{"typ": "at+jwt"}, with("nonce", "n")), ""},
			{"nonce null", iss.Sign(nil, map[string]any{"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": now + 60, "nonce": nil}), ""},
			{"nonce in an access token by its scopes", claims(map[string]any{
				"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": now + 60, "nonce": "n", "scope": "openid",
			}), ""},
		}
		for _, tt := range tests {
			for range 2 { // the second attempt is refused too
				id, err := authenticate(a, tt.token)
				if reasonOf(t, err) != tt.want {
					t.Errorf("%s: err = %v, want reason %q", tt.name, err, tt.want)
				}
				if err == nil {
					continue
				}
				if id != nil {
					t.Errorf("%s: an identity in addition to the error", tt.name)
				}
				e := new(auth.Error)
				errors.As(err, &e)
				for _, text := range []string{err.Error(), e.Public(), e.Challenge()} {
					if strings.Contains(text, "canary") || strings.Contains(text, parts[0]) || strings.Contains(text, iss.URL()) {
						t.Errorf("%s: error contains part of the token: %s", tt.name, text)
					}
				}
			}
		}
		if n := iss.JWKSFetches(); n != 1 {
			t.Errorf("%d fetches of keys without clock advance, want 1", n)
		}
	})
}

// TestCustomClaimsOfAnyType: members that go-oidc decodes for ID tokens, in any case, are custom claims in an access
// token. They may have any type, and never stand in for the registered claims.
func TestCustomClaimsOfAnyType(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		values := []any{7, "x", true, nil, []any{1}, map[string]any{"a": 1}, map[string]any{"a": "b"}}
		for _, name := range []string{
			"nonce", "Nonce", "at_hash", "AT_HASH", "_claim_names", "_claim_sources", "_CLAIM_NAMES",
			"Iss", "Sub", "Aud", "Exp", "Iat", "Nbf", "EXP", "i\u017fs", "\u017fub", "events", "sid",
		} {
			for _, value := range values {
				token := iss.Mint(issuer.Grant{Subject: "someone", Claims: map[string]any{name: value}})
				id, err := authenticate(a, token)
				if err != nil {
					t.Errorf("%s = %v: %v", name, value, err)
					continue
				}
				if id.Caller() != auth.CallerOf(iss.URL(), "someone") || id.Issuer() != iss.URL() {
					t.Errorf("%s = %v: %s, issuer %q", name, value, id, id.Issuer())
				}
				parts := strings.Split(token, ".")
				parts[2] = strings.Repeat("A", len(parts[2]))
				expect(t, a, strings.Join(parts, "."), auth.ReasonSignature)
			}
		}
	})
}

func TestLeeway(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		const leeway = auth.Leeway
		tests := []struct {
			name  string
			claim string
			at    time.Duration // from now
			want  auth.Reason
		}{
			{"exp at the edge", "exp", -leeway + time.Second, ""},
			{"exp past the edge", "exp", -leeway, auth.ReasonExpired},
			{"nbf at the edge", "nbf", leeway, ""},
			{"nbf past the edge", "nbf", leeway + time.Second, auth.ReasonNotYetValid},
			{"iat at the edge", "iat", leeway, ""},
			{"iat past the edge", "iat", leeway + time.Second, auth.ReasonNotYetValid},
		}
		for _, tt := range tests {
			token := iss.Mint(issuer.Grant{Claims: map[string]any{tt.claim: time.Now().Add(tt.at).Unix()}})
			expect(t, a, token, tt.want, tt.name)
		}
	})
}

// TestEd25519: EdDSA and Ed25519 (RFC 9864) are names of one algorithm, in keys and in tokens.
func TestEd25519(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		for _, alg := range []string{"EdDSA", "Ed25519", ""} {
			jwk := member(t, jose.JSONWebKey{Key: public, KeyID: "ed"})
			if alg != "" {
				jwk["alg"] = alg
			}
			set, err := json.Marshal(map[string]any{"keys": []any{jwk}})
			must(t, err)
			iss.Override(issuer.PathJWKS, body(string(set)))
			a := newAuth(t, network, iss)
			for _, name := range []string{"EdDSA", "Ed25519"} {
				token := forge(t, map[string]any{"alg": name, "kid": "ed"}, map[string]any{
					"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": time.Now().Add(time.Hour).Unix(),
				}, func(input []byte) []byte { return ed25519.Sign(private, input) })
				expect(t, a, token, "", alg, name)
				at := strings.LastIndexByte(token, '.') + 1
				for _, wrong := range []string{"", "AAAA", strings.Repeat("A", 86)} {
					expect(t, a, token[:at]+wrong, auth.ReasonSignature, alg, name, wrong)
				}
			}
			if found, err := a.Inspect(t.Context(), iss.URL()); err != nil || !slices.Equal(found.Algorithms, []string{"EdDSA"}) {
				t.Errorf("%s: %v, %v", alg, found.Algorithms, err)
			}
		}
	})
}

// TestAlgorithms: a token may have each algorithm that fits its key, unless the key names another one.
func TestAlgorithms(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	keys := map[any][]jose.SignatureAlgorithm{private: {jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512}}
	for i, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		private, err := ecdsa.GenerateKey(curve, rand.Reader)
		must(t, err)
		keys[private] = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.ES512}[i : i+1]
	}
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		for private, algorithms := range keys {
			for only, want := range map[string]auth.Reason{"": "", "EdDSA": auth.ReasonUnknownKey} {
				public := jose.JSONWebKey{Key: private, KeyID: "k", Algorithm: only}
				set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public.Public()}})
				must(t, err)
				iss.Override(issuer.PathJWKS, body(string(set)))
				a := newAuth(t, network, iss)
				for _, algorithm := range algorithms {
					key := jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: private, KeyID: "k"}}
					signer, err := jose.NewSigner(key, nil)
					must(t, err)
					claims, err := json.Marshal(map[string]any{
						"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": time.Now().Add(time.Hour).Unix(),
					})
					must(t, err)
					jws, err := signer.Sign(claims)
					must(t, err)
					token, err := jws.CompactSerialize()
					must(t, err)
					expect(t, a, token, want, string(algorithm), only)
				}
			}
		}
	})
}
