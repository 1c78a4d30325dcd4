package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/leaktest"
	"pixgraph/upstream/sandbox/issuer"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const testAudience = "pixgraph"

// clock is a manual clock, shared by the issuers and authenticators under test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newIssuer serves an issuer over HTTP on a loopback port.
func newIssuer(t testing.TB, now func() time.Time) *issuer.Issuer {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	iss, err := issuer.New(issuer.Config{
		URL:      "http://" + server.Listener.Addr().String() + "/oidc",
		Audience: testAudience,
		Now:      now,
	})
	must(t, err)
	server.Config.Handler = iss
	server.Start()
	t.Cleanup(server.Close)
	return iss
}

// newAuth builds an Authenticator that trusts iss, with a Config changed by the edits.
func newAuth(t testing.TB, now func() time.Time, iss *issuer.Issuer, edits ...func(*auth.Config)) *auth.Authenticator {
	t.Helper()
	c := auth.Config{Issuers: []string{iss.URL()}, Audiences: []string{testAudience}, Now: now}
	for _, edit := range edits {
		edit(&c)
	}
	a, err := auth.New(c)
	must(t, err)
	t.Cleanup(a.Close)
	return a
}

// start returns a clock, an issuer, and an Authenticator that trusts it.
func start(t testing.TB, edits ...func(*auth.Config)) (*clock, *issuer.Issuer, *auth.Authenticator) {
	t.Helper()
	c := newClock()
	iss := newIssuer(t, c.Now)
	return c, iss, newAuth(t, c.Now, iss, edits...)
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
	c, iss, a := start(t)
	tests := []struct {
		name  string
		grant issuer.Grant
		has   []string
	}{
		{"no scope", issuer.Grant{}, nil},
		{"scope as a string", issuer.Grant{Scopes: []string{"get_dispatcher", "b"}}, []string{"b", "get_dispatcher"}},
		{"scope as an array", issuer.Grant{Scopes: []string{"x"}, Claims: map[string]any{"scope": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}},
		{"scp as an array", issuer.Grant{Claims: map[string]any{"scp": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}},
		{"scp as a string", issuer.Grant{Claims: map[string]any{"scp": "a get_dispatcher"}}, []string{"a", "get_dispatcher"}},
		{"permissions", issuer.Grant{Claims: map[string]any{"permissions": []string{"get_dispatcher"}}}, []string{"get_dispatcher"}},
		{"all three, one scope in two of them", issuer.Grant{
			Scopes: []string{"a"}, Claims: map[string]any{"scp": []string{"b"}, "permissions": []string{"a", "c"}},
		}, []string{"a", "b", "c"}},
		{"an array's element is one scope", issuer.Grant{Claims: map[string]any{"scp": []string{"not get_dispatcher"}}}, []string{"not get_dispatcher"}},
		{"RS256", issuer.Grant{Scopes: []string{"a"}, Algorithm: issuer.RS256}, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.grant.Subject = "someone"
			token := iss.Mint(tt.grant)
			c.advance(time.Minute) // past the cooldown, because RS256's key is generated on first use
			id, err := authenticate(a, token)
			must(t, err)
			if got := id.Scopes(); !slices.Equal(got, tt.has) || !id.ScopesKnown() {
				t.Errorf("scopes = %v (known: %t), want %v", got, id.ScopesKnown(), tt.has)
			}
			for _, scope := range tt.has {
				if !id.HasScope(scope) {
					t.Errorf("HasScope(%q) = false", scope)
				}
			}
			if id.HasScope("other") {
				t.Error("HasScope is true for a scope that the token lacks")
			}
			if id.Subject() != "someone" || id.Issuer() != iss.URL() || id.Bearer() != token {
				t.Errorf("subject %q, issuer %q, bearer unchanged: %t", id.Subject(), id.Issuer(), id.Bearer() == token)
			}
			if want := c.Now().Add(time.Hour - time.Minute); !id.Expiry().Equal(want) {
				t.Errorf("expiry = %v, want %v", id.Expiry(), want)
			}
		})
	}
}

func TestMultipleIssuersAndAudiences(t *testing.T) {
	c := newClock()
	one, two, unlisted := newIssuer(t, c.Now), newIssuer(t, c.Now), newIssuer(t, c.Now)
	a := newAuth(t, c.Now, one, func(cfg *auth.Config) {
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
		t.Run(tt.name, func(t *testing.T) {
			if _, err := authenticate(a, tt.token); reasonOf(t, err) != tt.want {
				t.Errorf("err = %v, want reason %q", err, tt.want)
			}
		})
	}
	if n := unlisted.JWKSFetches() + unlisted.Requests(issuer.PathDiscovery); n != 0 {
		t.Errorf("%d requests to an issuer that is not configured", n)
	}
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
	if id.Bearer() != "opaque-token" || id.ScopesKnown() || id.HasScope("") || id.Subject() != "" {
		t.Errorf("bearer %q, scopes known %t, subject %q", id.Bearer(), id.ScopesKnown(), id.Subject())
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
