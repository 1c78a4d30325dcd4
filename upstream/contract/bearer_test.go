package contract_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestCredentials: every endpoint rejects a call without a valid token (spec 5), before it checks parameters.
func TestCredentials(t *testing.T) {
	a := target(t, sandbox.Config{Records: 20})
	token := func(text string) http.Header { return http.Header{"Authorization": {"Bearer " + text}} }
	rejected := map[string]http.Header{
		"missing":        {},
		"empty":          {"Authorization": {""}},
		"scheme alone":   {"Authorization": {"Bearer"}},
		"another scheme": {"Authorization": {"Basic " + a.token}},
		"no scheme":      {"Authorization": {a.token}},
		"garbage":        token("garbage"),
		"tampered":       token(tampered(a.token)),
	}
	accepted := map[string]http.Header{"fresh": token(a.token)}
	if a.Sandbox != nil {
		forgeries, genuine := forged(t, a.Sandbox)
		for name, text := range forgeries {
			rejected[name] = token(text)
		}
		for name, text := range genuine {
			accepted[name] = token(text)
		}
		rejected["two headers"] = http.Header{"Authorization": {"Bearer " + a.token, "Bearer " + a.token}}
		accepted["scheme in lower case"] = http.Header{"Authorization": {"bearer " + a.token}}
	}
	for _, e := range a.endpoints(t) {
		good, bad := call{endpoint: e, id: a.ids[e.path]}, call{endpoint: e, id: "x"}
		if !e.lookup() {
			bad = call{endpoint: e, query: url.Values{"status": {"x"}}}
		}
		t.Run(e.OperationID, func(t *testing.T) {
			for name, header := range rejected {
				for _, c := range []call{good, bad} {
					c.header = header
					status, _, got := a.exchange(t, c)
					if status != http.StatusUnauthorized || got.Get("WWW-Authenticate") == "" {
						t.Errorf("%s, %s: status %d, WWW-Authenticate %q", name, c.target(), status, got.Get("WWW-Authenticate"))
					}
				}
			}
			for name, header := range accepted {
				good.header = header
				if status, _ := a.call(t, good); status != http.StatusOK {
					t.Errorf("%s: status %d, want 200", name, status)
				}
			}
			for _, c := range []call{good, bad} {
				c.header = token(a.narrow)
				status, _, got := a.exchange(t, c)
				if forbidden := status == http.StatusForbidden; forbidden != (e.server == dispatcherServer) {
					t.Errorf("%s without the scope: status %d", c.target(), status)
				} else if forbidden && !strings.Contains(got.Get("WWW-Authenticate"), `error="insufficient_scope"`) && a.Sandbox != nil {
					t.Errorf("%s: WWW-Authenticate %q", c.target(), got.Get("WWW-Authenticate"))
				}
			}
		})
	}
}

// forged returns tokens that only a test issuer can create: some that must be rejected, and some that are valid.
func forged(t *testing.T, box *sandbox.Sandbox) (forgeries, genuine map[string]string) {
	t.Helper()
	iss := box.Issuer()
	other, err := issuer.New(issuer.Config{URL: iss.URL(), Audience: box.Audience()})
	must(t, err)
	grants := map[string]issuer.Grant{
		"expired":              {TTL: -time.Minute},
		"another audience":     {Audience: []string{"elsewhere"}},
		"another issuer's iss": {Claims: map[string]any{"iss": "https://example.com"}},
		"no expiry":            {Claims: map[string]any{"exp": nil}},
	}
	full := []string{issuer.ScopeDispatcher}
	forgeries = map[string]string{}
	for name, grant := range grants {
		grant.Scopes = full
		forgeries[name] = iss.Mint(grant)
	}
	forgeries["another issuer's key"] = other.Mint(issuer.Grant{Scopes: full})
	return forgeries, map[string]string{
		"scopes in scp":         iss.Mint(issuer.Grant{Claims: map[string]any{"scp": full}}),
		"scopes in permissions": iss.Mint(issuer.Grant{Claims: map[string]any{"permissions": full}}),
	}
}

// tampered modifies a character in the middle of the token's payload.
func tampered(token string) string {
	b := []byte(token)
	i := len(b) / 2
	if b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}
