package sandbox_test

import (
	"net/http"
	"testing"
	"time"

	"pixgraph/upstream/sandbox/issuer"
)

// forgeries checks tokens that only a test issuer can create.
func (c *conformance) forgeries(t *testing.T, address string) {
	iss := c.sandbox.Issuer()
	other, err := issuer.New(issuer.Config{URL: iss.URL(), Audience: iss.Audience()})
	if err != nil {
		t.Fatal(err)
	}
	full := []string{issuer.ScopeDispatcher}
	tests := []struct {
		name   string
		token  string
		status int
	}{
		{"fresh", iss.Mint(issuer.Grant{Scopes: full}), http.StatusOK},
		{"scopes in scp", iss.Mint(issuer.Grant{Claims: map[string]any{"scp": full}}), http.StatusOK},
		{"scopes in permissions", iss.Mint(issuer.Grant{Claims: map[string]any{"permissions": full}}), http.StatusOK},
		{"expired", iss.Mint(issuer.Grant{Scopes: full, TTL: -time.Minute}), http.StatusUnauthorized},
		{"another audience", iss.Mint(issuer.Grant{Scopes: full, Audience: []string{"elsewhere"}}), http.StatusUnauthorized},
		{"another issuer's iss", iss.Mint(issuer.Grant{Scopes: full, Claims: map[string]any{"iss": "https://example.com"}}), http.StatusUnauthorized},
		{"another issuer's key", other.Mint(issuer.Grant{Scopes: full}), http.StatusUnauthorized},
		{"no expiry", iss.Mint(issuer.Grant{Scopes: full, Claims: map[string]any{"exp": nil}}), http.StatusUnauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.getAs(t, tt.token, address); got.status != tt.status {
				t.Errorf("status %d, want %d", got.status, tt.status)
			}
		})
	}
	t.Run("two Authorization headers", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header["Authorization"] = []string{"Bearer " + c.token, "Bearer " + c.token}
		got, err := roundTrip(newClient(), req)
		if err != nil || got.status != http.StatusUnauthorized {
			t.Errorf("status %d, error %v, want 401", got.status, err)
		}
	})
	t.Run("scheme in lower case", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "bearer "+c.token)
		got, err := roundTrip(newClient(), req)
		if err != nil || got.status != http.StatusOK {
			t.Errorf("status %d, error %v, want 200", got.status, err)
		}
	})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions} {
		t.Run("405 "+method, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+c.token)
			got, err := roundTrip(newClient(), req)
			if err != nil || got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != http.MethodGet {
				t.Errorf("status %d, Allow %q, error %v", got.status, got.header.Get("Allow"), err)
			}
		})
	}
}
