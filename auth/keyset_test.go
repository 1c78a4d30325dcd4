package auth_test

import (
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
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

// weakRSA is a public RSA key of 1024 bits, which is too short.
func weakRSA(t *testing.T, strong any) map[string]any {
	t.Helper()
	modulus := new(big.Int).Rsh(strong.(*rsa.PublicKey).N, 1024)
	return member(t, jose.JSONWebKey{Key: &rsa.PublicKey{N: modulus.SetBit(modulus, 0, 1), E: 65537}, KeyID: "weak"})
}

// member returns a JWK as a map, for modification.
func member(t *testing.T, jwk jose.JSONWebKey) map[string]any {
	t.Helper()
	b, err := json.Marshal(jwk)
	must(t, err)
	var m map[string]any
	must(t, json.Unmarshal(b, &m))
	return m
}

// TestInvalidKeySets: each row is served as the first key set. A valid token is accepted if the set has its key in a
// usable form.
func TestInvalidKeySets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		iss.Mint(issuer.Grant{Algorithm: issuer.RS256})
		es, rs := iss.KeySet().Keys[0], iss.KeySet().Keys[1]
		modified := func(name string, value any) map[string]any {
			m := member(t, es)
			if m[name] = value; value == nil {
				delete(m, name)
			}
			return m
		}
		good := member(t, es)
		set := func(keys ...any) string {
			b, err := json.Marshal(map[string]any{"keys": keys})
			must(t, err)
			return string(b)
		}
		oct := map[string]any{"kty": "oct", "k": "c2VjcmV0", "kid": es.KeyID}
		duplicate := member(t, newIssuer(t, network).KeySet().Keys[0])
		duplicate["kid"] = es.KeyID
		token := iss.Mint(issuer.Grant{})
		tests := []struct {
			name string
			body string
			want auth.Reason
		}{
			{"good", set(good), ""},
			{"good, without use and alg", set(map[string]any{"kty": "EC", "crv": "P-256", "x": good["x"], "y": good["y"], "kid": es.KeyID}), ""},
			{"good among invalid", set(5, nil, "x", oct, map[string]any{"kty": "EC"}, map[string]any{"kty": "AKP"}, modified("kid", 7), good), ""},
			{"key_ops verify", set(modified("key_ops", []string{"verify"})), ""},
			{"empty object", `{}`, auth.ReasonUnavailable},
			{"no keys", set(), auth.ReasonUnavailable},
			{"keys no array", `{"keys":{}}`, auth.ReasonUnavailable},
			{"array", `[]`, auth.ReasonUnavailable},
			{"HTML", `<html>`, auth.ReasonUnavailable},
			{"empty", ``, auth.ReasonUnavailable},
			{"truncated", set(good)[:40], auth.ReasonUnavailable},
			{"trailing bytes", set(good) + "x", auth.ReasonUnavailable},
			{"above the size limit", set(good) + strings.Repeat(" ", 256<<10), auth.ReasonUnavailable},
			{"too many keys", `{"keys":[` + strings.Repeat(`{},`, 100) + `{}]}`, auth.ReasonUnavailable},
			{"symmetric key with the kid", set(oct), auth.ReasonUnavailable},
			{"for encryption", set(modified("use", "enc")), auth.ReasonUnavailable},
			{"key_ops sign", set(modified("key_ops", []string{"sign"})), auth.ReasonUnavailable},
			{"private key", set(modified("d", good["x"])), auth.ReasonUnavailable},
			{"off the curve", set(modified("x", good["y"])), auth.ReasonUnavailable},
			{"short RSA key", set(weakRSA(t, rs.Key)), auth.ReasonUnavailable},
			{"restricted to another alg", set(modified("alg", "ES384")), auth.ReasonUnknownKey},
			{"RSA key with the kid", set(func() any { m := member(t, rs); m["kid"] = es.KeyID; return m }()), auth.ReasonUnknownKey},
			{"RSA key with the kid, for any alg", set(func() any { m := member(t, rs); m["kid"] = es.KeyID; delete(m, "alg"); return m }()), auth.ReasonUnknownKey},
			{"another kid", set(modified("kid", "other")), auth.ReasonUnknownKey},
			{"no kid", set(modified("kid", nil)), auth.ReasonUnknownKey},
			{"kid twice, good first", set(good, duplicate), ""},
			{"kid twice, good second", set(duplicate, good), ""},
			{"for another alg, and good", set(modified("alg", "ES384"), good), ""},
			{"good, listed twice", set(good, good), ""},
			{"a certificate that is not one", set(modified("x5c", []string{"AAAA"})), ""},
			{"the hash of a certificate that is too short", set(modified("x5t", "AAAA")), ""},
			{"the hash of a certificate of a wrong type", set(modified("x5t#S256", 5)), ""},
			{"same kid, another type", set(func() any { m := member(t, rs); m["kid"] = es.KeyID; return m }(), good), ""},
		}
		for _, tt := range tests {
			iss.Override(issuer.PathJWKS, body(tt.body))
			a := newAuth(t, network, iss)
			expect(t, a, token, tt.want, tt.name)
			if wantReady := tt.want != auth.ReasonUnavailable; (a.Ready() == nil) != wantReady {
				t.Errorf("%s: Ready = %v", tt.name, a.Ready())
			}
		}
	})
}

// TestInvalidSetDoesNotReplaceFormerSet: an invalid set does not replace the former one.
func TestInvalidSetDoesNotReplaceFormerSet(t *testing.T) {
	for _, invalid := range []string{`{"keys":[]}`, `{}`, `<html>`, ``} {
		t.Run(invalid, func(t *testing.T) {
			run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
				expect(t, a, mintLong(iss), "")
				iss.Override(issuer.PathJWKS, body(invalid))
				time.Sleep(cooldown)
				expect(t, a, unknownKid(iss), auth.ReasonUnavailable)
				expect(t, a, mintLong(iss), "")
				if s := a.Stats().Issuers[iss.URL()]; s.KeyFetches != 2 || s.KeyFailures != 1 {
					t.Errorf("%d fetches, %d failed; want 2 and 1", s.KeyFetches, s.KeyFailures)
				}
			})
		})
	}
}

// TestMissingKid: a token without kid is tried with each key of its type, up to eight of them.
func TestMissingKid(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		without := func() string {
			return iss.Sign(map[string]any{"kid": nil}, map[string]any{"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": 9999999999})
		}
		first := without()
		for range 7 {
			iss.Rotate(true)
		}
		expect(t, a, without(), "")
		expect(t, a, first, "")
		expectFetches(t, iss, 1)
		iss.Rotate(true)
		time.Sleep(cooldown)
		expect(t, a, without(), "")
		expectFetches(t, iss, 2)
		expect(t, a, first, "") // in the cache, with a key that is still published
		parts := strings.Split(first, ".")
		expect(t, a, strings.Join([]string{parts[0], parts[1], strings.Repeat("A", 86)}, "."), auth.ReasonSignature)
	})
}

func TestInvalidDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		doc := func(issuerURL, keys string) http.Handler {
			return body(fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q}`, issuerURL, keys))
		}
		keys := iss.URL() + issuer.PathJWKS
		tests := []struct {
			name    string
			handler http.Handler
			want    auth.Reason
		}{
			{"good", doc(iss.URL(), keys), ""},
			{"another issuer", doc("https://id.example", keys), auth.ReasonUnavailable},
			{"issuer with a trailing slash", doc(iss.URL()+"/", keys), auth.ReasonUnavailable},
			{"no issuer", body(`{"jwks_uri":"` + keys + `"}`), auth.ReasonUnavailable},
			{"keys over http on another host", doc(iss.URL(), "http://192.0.2.1/jwks"), auth.ReasonUnavailable},
			{"keys in a file", doc(iss.URL(), "file:///etc/passwd"), auth.ReasonUnavailable},
			{"relative jwks_uri", doc(iss.URL(), "/oidc/jwks"), auth.ReasonUnavailable},
			{"no keys", doc(iss.URL(), ""), auth.ReasonUnavailable},
			{"not JSON", body("x"), auth.ReasonUnavailable},
			{"redirect", http.RedirectHandler(iss.URL()+"/elsewhere", http.StatusFound), auth.ReasonUnavailable},
		}
		for _, tt := range tests {
			iss.Override(issuer.PathDiscovery, tt.handler)
			a := newAuth(t, network, iss, func(cfg *auth.Config) {
				through := cfg.Transport
				cfg.Transport = transport(func(r *http.Request) (*http.Response, error) {
					if !strings.HasPrefix(r.URL.String(), iss.URL()+"/") {
						t.Errorf("%s: unexpected request to %s", tt.name, r.URL)
					}
					return through.RoundTrip(r)
				})
			})
			expect(t, a, iss.Mint(issuer.Grant{}), tt.want, tt.name)
		}
	})
}

func TestRedirectedKeysAreNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss, other := newIssuer(t, network), newIssuer(t, network)
		iss.Override(issuer.PathJWKS, http.RedirectHandler(other.URL()+issuer.PathJWKS, http.StatusTemporaryRedirect))
		a := newAuth(t, network, iss)
		expect(t, a, other.Mint(issuer.Grant{Claims: map[string]any{"iss": iss.URL()}}), auth.ReasonUnavailable)
		expectFetches(t, other, 0)
	})
}

// TestKeysOfAnHTTPSIssuerComeOverHTTPS: the keys of an issuer with an https URL are not fetched over http, not even
// from loopback.
func TestKeysOfAnHTTPSIssuerComeOverHTTPS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const id = "https://id.example"
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		var requested []string
		a := newAuth(t, network, iss, func(cfg *auth.Config) {
			cfg.Issuers = []string{id}
			cfg.Transport = transport(func(r *http.Request) (*http.Response, error) {
				requested = append(requested, r.URL.String())
				w := httptest.NewRecorder()
				fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, id, iss.URL()+issuer.PathJWKS)
				return w.Result(), nil
			})
		})
		expect(t, a, iss.Mint(issuer.Grant{Claims: map[string]any{"iss": id}}), auth.ReasonUnavailable)
		if want := []string{id + issuer.PathDiscovery}; !slices.Equal(requested, want) {
			t.Errorf("requested %q, want %q", requested, want)
		}
	})
}

// transport implements http.RoundTripper with a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// body returns a handler that responds with a fixed text.
func body(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
}
