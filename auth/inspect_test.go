package auth_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/upstream/sandbox/issuer"
)

// TestInspect: Inspect fetches from the issuer each time, and reports which algorithms its keys support.
func TestInspect(t *testing.T) {
	tests := []struct {
		name       string
		change     func(*issuer.Issuer)
		algorithms []string
		want       auth.Published
		err        string
	}{
		{"one key", func(*issuer.Issuer) {}, nil, auth.Published{Keys: 1, Algorithms: []string{"ES256"}}, ""},
		{"a key of each kind", func(iss *issuer.Issuer) { iss.Mint(issuer.Grant{Algorithm: issuer.RS256}) }, nil,
			auth.Published{Keys: 2, Algorithms: []string{"RS256", "ES256"}}, ""},
		{"no key that fits", func(*issuer.Issuer) {}, []string{"EdDSA"}, auth.Published{Keys: 1}, ""},
		{"an outage", func(iss *issuer.Issuer) { iss.SetDown(true) }, nil, auth.Published{}, "discovery: status 503"},
		{"not a key set", func(iss *issuer.Issuer) {
			iss.Override(issuer.PathJWKS, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("s3cret")) }))
		}, nil, auth.Published{}, "keys: not a JSON Web Key Set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &memnet.Network{}
				iss := newIssuer(t, network)
				a := newAuth(t, network, iss, func(c *auth.Config) { c.Algorithms = tt.algorithms })
				tt.change(iss)
				for range 2 {
					got, err := a.Inspect(t.Context(), iss.URL())
					if got.Keys != tt.want.Keys || !slices.Equal(got.Algorithms, tt.want.Algorithms) {
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
