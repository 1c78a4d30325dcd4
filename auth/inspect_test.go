package auth_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

// TestInspect: Inspect fetches from the issuer each time, and reports which algorithms its keys support.
func TestInspect(t *testing.T) {
	tests := []struct {
		name   string
		change func(*issuer.Issuer)
		want   auth.Published
		err    string
	}{
		{"one key", func(*issuer.Issuer) {}, auth.Published{Keys: 1, Algorithms: []string{"ES256"}}, ""},
		{"a key of each kind", func(iss *issuer.Issuer) { iss.Mint(issuer.Grant{Algorithm: issuer.RS256}) },
			auth.Published{Keys: 2, Algorithms: []string{"RS256", "ES256"}}, ""},
		{"no key that fits", func(iss *issuer.Issuer) {
			iss.Override(issuer.PathJWKS, body(`{"keys":[`+strings.Replace(keyOf(t, iss), `"ES256"`, `"ECDH-ES"`, 1)+`]}`))
		}, auth.Published{Keys: 1}, ""},
		{"an outage", func(iss *issuer.Issuer) { iss.SetDown(true) }, auth.Published{}, "discovery: status 503"},
		{"not a key set", func(iss *issuer.Issuer) {
			iss.Override(issuer.PathJWKS, body("s3cret"))
		}, auth.Published{}, "keys: not a JSON Web Key Set"},
		{"keys that are not used", func(iss *issuer.Issuer) {
			iss.Override(issuer.PathJWKS, body(`{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"RSA","use":"enc"},{"kty":"EC","key_ops":["sign"]},5,`+
				keyOf(t, iss)+`,`+keyOf(t, iss)+`]}`))
		}, auth.Published{Keys: 1, Algorithms: []string{"ES256"}, Ignored: map[string]int{
			"secret": 1, "for encryption, or not for verification": 2, "not a key of a known type": 1, "listed twice": 1,
		}}, ""},
		{"a redirect", override(http.RedirectHandler("/elsewhere", http.StatusFound)), auth.Published{}, "discovery: status 302: a redirect"},
		{"a page", override(body(" <html>")), auth.Published{}, "discovery: a page of HTML"},
		{"another issuer", override(body(`{"issuer":"https://s3cret"}`)), auth.Published{}, "discovery: the document names another issuer"},
		{"nothing", override(http.NotFoundHandler()), auth.Published{}, "discovery: status 404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				iss, a := start(t)
				tt.change(iss)
				for range 2 {
					got, err := a.Inspect(t.Context(), iss.URL())
					if got.Keys != tt.want.Keys || !slices.Equal(got.Algorithms, tt.want.Algorithms) ||
						tt.want.Ignored != nil && !maps.Equal(got.Ignored, tt.want.Ignored) {
						t.Errorf("got %+v, want %+v", got, tt.want)
					}
					if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)) {
						t.Errorf("error %v, want %q", err, tt.err)
					}
				}
				if n := iss.Requests(issuer.PathDiscovery); n != 2 {
					t.Errorf("%d requests, want 2: nothing is cached", n)
				}
				if err := a.Ready(); err == nil {
					t.Error("Inspect stored the keys that it fetched")
				}
				if _, err := a.Inspect(t.Context(), "https://other.example.com"); err == nil {
					t.Error("no error for an issuer that is not configured")
				}
			})
		})
	}
}

// override replaces the discovery document.
func override(handler http.Handler) func(*issuer.Issuer) {
	return func(iss *issuer.Issuer) { iss.Override(issuer.PathDiscovery, handler) }
}

// keyOf is the key of an issuer as JSON.
func keyOf(t *testing.T, iss *issuer.Issuer) string {
	t.Helper()
	text, err := json.Marshal(iss.KeySet().Keys[0])
	must(t, err)
	return string(text)
}

// TestInspectFindsMetadataOfOAuth: an issuer that has only the metadata of RFC 8414 is told from one that has none.
func TestInspectFindsMetadataOfOAuth(t *testing.T) {
	for _, tt := range []struct {
		name, path string // of the issuer
		at         string
		found      bool
	}{
		{"without a path", "", "/.well-known/oauth-authorization-server", true},
		{"with a path", "/realms/a", "/.well-known/oauth-authorization-server/realms/a", true},
		{"of another one", "/realms/a", "/.well-known/oauth-authorization-server", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &memnet.Network{}
				mux := http.NewServeMux()
				url := network.Serve(t, mux)
				mux.Handle("GET "+tt.at, body(`{"issuer":"`+url+tt.path+`","jwks_uri":"`+url+`/keys"}`))
				a := newAuth(t, network, newIssuer(t, network), func(c *auth.Config) { c.Issuers = []string{url + tt.path} })
				if _, err := a.Inspect(t.Context(), url+tt.path); err == nil || errors.Is(err, auth.ErrOAuthMetadata) != tt.found {
					t.Errorf("%v, want ErrOAuthMetadata: %t", err, tt.found)
				}
			})
		})
	}
}
