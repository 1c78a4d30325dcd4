package auth_test

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

// TestBoundTokens: a token that is bound to its sender is accepted from no other one, also when it is in the cache
// because its sender has used it before.
func TestBoundTokens(t *testing.T) {
	certificate := func(text string) *tls.ConnectionState {
		return &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(text)}, {Raw: []byte("its CA")}}}
	}
	of := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return base64.RawURLEncoding.EncodeToString(sum[:])
	}
	connections := map[string]*tls.ConnectionState{
		"own": certificate("own"), "other": certificate("other"), "ca": certificate("its CA"),
		"TLS": {}, "plain": nil,
	}
	bound := map[string]any{"x5t#S256": of("own")}
	const key, lacks, claims = auth.ReasonKeyBound, auth.ReasonCertificateBound, auth.ReasonInvalidClaims
	tests := []struct {
		name            string
		cnf             any
		own, everyOther auth.Reason // with the certificate "own", and with each other connection
	}{
		{"nothing", nil, "", ""},
		{"nothing in it", map[string]any{}, "", ""},
		{"a certificate", bound, "", lacks},
		{"a certificate, and a hint", map[string]any{"x5t#S256": of("own"), "xms_ksl": "sw"}, "", lacks},
		{"a certificate and a key", map[string]any{"x5t#S256": of("own"), "jkt": of("key")}, key, key},
		{"the certificate of the CA", map[string]any{"x5t#S256": of("its root")}, lacks, lacks},
		{"a key", map[string]any{"jkt": of("key")}, key, key},
		{"a key of a wrong type", map[string]any{"jkt": 7}, key, key},
		{"a key in it", map[string]any{"jwk": map[string]any{"kty": "EC"}}, key, key},
		{"something unknown", map[string]any{"x5t#s256": of("own")}, key, key},
		{"a text", "x", claims, claims},
		{"a list", []any{}, claims, claims},
		{"a certificate of a wrong type", map[string]any{"x5t#S256": []string{of("own")}}, claims, claims},
		{"a hash that is too short", map[string]any{"x5t#S256": "AAAA"}, claims, claims},
		{"no hash", map[string]any{"x5t#S256": ""}, claims, claims},
	}
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		a := newAuth(t, network, iss)
		trusting := newAuth(t, network, iss, func(c *auth.Config) { c.Binding = auth.BindingProxy })
		for _, tt := range tests {
			token := iss.Mint(issuer.Grant{Claims: map[string]any{"cnf": tt.cnf}})
			for _, on := range []string{"other", "own", "plain", "TLS", "ca", "own", "other"} {
				r := request("Bearer " + token)
				r.TLS = connections[on]
				want := tt.everyOther
				if on == "own" {
					want = tt.own
				}
				id, err := a.Authenticate(r)
				if got := reasonOf(t, err); got != want || (id == nil) != (want != "") {
					t.Errorf("%s, %s: %v, want %q", tt.name, on, err, want)
				}
				if tt.own == claims {
					continue
				}
				if _, err := trusting.Authenticate(r); err != nil {
					t.Errorf("%s, %s, checked by a proxy: %v", tt.name, on, err)
				}
			}
		}
	})
}

// TestDPoPIsNamed: a client of DPoP learns that bearer tokens are needed, whatever it calls its token.
func TestDPoPIsNamed(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		bound := iss.Mint(issuer.Grant{Claims: map[string]any{"cnf": map[string]any{"jkt": "x"}}})
		for _, header := range []string{"Bearer " + bound, "DPoP " + bound, "dpop " + bound} {
			_, err := a.Authenticate(request(header))
			e, ok := err.(*auth.Error) //nolint:errorlint // it is always one
			if !ok || e.Reason != auth.ReasonKeyBound || !strings.Contains(e.Challenge(), "DPoP") || !strings.Contains(e.Challenge(), `error="invalid_token"`) {
				t.Errorf("%.6s: %v", header, err)
			}
		}
		if got := a.Stats().Refused[auth.ReasonKeyBound]; got != 3 {
			t.Errorf("%d refused, want 3", got)
		}
	})
}
