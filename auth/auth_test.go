package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/egress"
	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const testAudience = "pixgraph"

// newIssuer serves an issuer on the network.
func newIssuer(t testing.TB, network *memnet.Network) *issuer.Issuer {
	t.Helper()
	var iss *issuer.Issuer
	url := network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { iss.ServeHTTP(w, r) }))
	iss, err := issuer.New(issuer.Config{URL: url + "/oidc", Audience: testAudience})
	must(t, err)
	return iss
}

// newAuth builds an Authenticator that trusts iss, with a Config changed by the edits.
func newAuth(t testing.TB, network *memnet.Network, iss *issuer.Issuer, edits ...func(*auth.Config)) *auth.Authenticator {
	t.Helper()
	access, err := egress.Open(egress.Config{Dialer: network})
	must(t, err)
	t.Cleanup(access.Close)
	c := auth.Config{Issuers: []string{iss.URL()}, Audiences: []string{testAudience}, Transport: access}
	for _, edit := range edits {
		edit(&c)
	}
	a, err := auth.New(c)
	must(t, err)
	t.Cleanup(a.Close)
	return a
}

// start returns an issuer and an Authenticator that trusts it.
func start(t testing.TB, edits ...func(*auth.Config)) (*issuer.Issuer, *auth.Authenticator) {
	t.Helper()
	network := &memnet.Network{}
	iss := newIssuer(t, network)
	return iss, newAuth(t, network, iss, edits...)
}

// run runs a test in a bubble with an issuer and an Authenticator that trusts it.
func run(t *testing.T, test func(*testing.T, *issuer.Issuer, *auth.Authenticator)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		iss, a := start(t)
		test(t, iss, a)
	})
}

func request(authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	if len(authorization) > 0 {
		r.Header["Authorization"] = authorization
	}
	return r
}

// authenticate sends a bearer token to a.
func authenticate(a *auth.Authenticator, token string) (*auth.Identity, error) {
	return a.Authenticate(request("Bearer " + token))
}

// reasonOf is the reason of an error of Authenticate, and "" if err is nil.
func reasonOf(t testing.TB, err error) auth.Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *auth.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is not an *auth.Error: %v", err, err)
	}
	return e.Reason
}

func TestVerifiedIdentity(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		tests := []struct {
			name  string
			grant issuer.Grant
			has   []string
			open  bool // whether it may have other scopes
		}{
			{"no scope", issuer.Grant{}, nil, false},
			{"no claim", issuer.Grant{Claims: map[string]any{"scope": nil}}, nil, true},
			{"no claim but roles", issuer.Grant{Claims: map[string]any{"scope": nil, "roles": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}, true},
			{"a role", issuer.Grant{Scopes: []string{"a"}, Claims: map[string]any{"roles": []string{"get_dispatcher"}}}, []string{"a", "get_dispatcher"}, false},
			{"claims of other forms", issuer.Grant{Claims: map[string]any{
				"scope": 5, "scp": map[string]any{"a": 1}, "permissions": []any{"x", map[string]any{"id": 1}}, "roles": true,
			}}, nil, true},
			{"one claim of another form", issuer.Grant{
				Scopes: []string{"a"}, Claims: map[string]any{"permissions": []any{map[string]any{"id": 1}}},
			}, []string{"a"}, false},
			{"scope as a string", issuer.Grant{Scopes: []string{"get_dispatcher", "b"}}, []string{"b", "get_dispatcher"}, false},
			{"scope as an array", issuer.Grant{Scopes: []string{"x"}, Claims: map[string]any{"scope": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}, false},
			{"scp as an array", issuer.Grant{Claims: map[string]any{"scp": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}, false},
			{"scp as a string", issuer.Grant{Claims: map[string]any{"scp": "a get_dispatcher"}}, []string{"a", "get_dispatcher"}, false},
			{"permissions", issuer.Grant{Claims: map[string]any{"permissions": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}, false},
			{"all three, one scope in two of them", issuer.Grant{
				Scopes: []string{"a"}, Claims: map[string]any{"scp": []string{"b"}, "permissions": []string{"a", "c"}},
			}, []string{"a", "b", "c"}, false},
			{"an array's element is one scope", issuer.Grant{Claims: map[string]any{"scp": []string{"not get_dispatcher"}}}, []string{"not get_dispatcher"}, false},
			{"RS256", issuer.Grant{Scopes: []string{"a"}, Algorithm: issuer.RS256}, []string{"a"}, false},
		}
		for _, tt := range tests {
			tt.grant.Subject = "someone"
			token := iss.Mint(tt.grant)
			time.Sleep(time.Minute) // past the cooldown, because RS256's key is generated on first use
			id, err := authenticate(a, token)
			must(t, err)
			if got := id.Scopes(); !slices.Equal(got, tt.has) || id.ScopesKnown() == tt.open {
				t.Errorf("%s: scopes = %v (known: %t), want %v", tt.name, got, id.ScopesKnown(), tt.has)
			}
			for _, scope := range tt.has {
				if !id.HasScope(scope) {
					t.Errorf("%s: HasScope(%q) = false", tt.name, scope)
				}
			}
			if id.HasScope("other") {
				t.Errorf("%s: HasScope is true for a scope that the token lacks", tt.name)
			}
			if id.Caller() != auth.CallerOf(iss.URL(), "someone") || id.Issuer() != iss.URL() || id.Bearer() != token {
				t.Errorf("%s: %s, issuer %q, bearer unchanged: %t", tt.name, id, id.Issuer(), id.Bearer() == token)
			}
			if want := time.Now().Add(time.Hour - time.Minute); !id.Expiry().Equal(want) {
				t.Errorf("%s: expiry = %v, want %v", tt.name, id.Expiry(), want)
			}
		}
	})
}

func TestMultipleIssuersAndAudiences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		one, two, unlisted := newIssuer(t, network), newIssuer(t, network), newIssuer(t, network)
		a := newAuth(t, network, one, func(cfg *auth.Config) {
			cfg.Issuers = append(cfg.Issuers, two.URL())
			cfg.Audiences = append(cfg.Audiences, "other-audience")
		})
		tests := []struct {
			name  string
			token string
			want  auth.Reason
		}{
			{"first issuer", one.Mint(issuer.Grant{}), ""},
			{"second issuer", two.Mint(issuer.Grant{}), ""},
			{"second audience", two.Mint(issuer.Grant{Audience: []string{"other-audience"}}), ""},
			{"one audience of several", two.Mint(issuer.Grant{Audience: []string{"x", testAudience}}), ""},
			{"an unconfigured issuer", unlisted.Mint(issuer.Grant{}), auth.ReasonIssuer},
			{"second issuer, with the iss of the first", two.Mint(issuer.Grant{Claims: map[string]any{"iss": one.URL()}}), auth.ReasonUnknownKey},
		}
		for _, tt := range tests {
			expect(t, a, tt.token, tt.want, tt.name)
		}
		if n := unlisted.JWKSFetches() + unlisted.Requests(issuer.PathDiscovery); n != 0 {
			t.Errorf("%d requests to an issuer that is not configured", n)
		}
	})
}

func TestForwardMode(t *testing.T) {
	a := newForwarding(t)
	a.Start(context.Background())
	if err := a.Ready(); err != nil {
		t.Errorf("Ready = %v", err)
	}
	id, err := authenticate(a, "opaque-token")
	must(t, err)
	other, err := authenticate(a, "other-token")
	must(t, err)
	if id.Bearer() != "opaque-token" || id.ScopesKnown() || id.HasScope("") {
		t.Errorf("bearer %q, scopes known %t", id.Bearer(), id.ScopesKnown())
	}
	if id.Digest() == other.Digest() || id.Caller() == other.Caller() {
		t.Error("two tokens share a key")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
