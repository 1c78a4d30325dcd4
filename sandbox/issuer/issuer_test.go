package issuer_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox/issuer"
)

const testAudience = "pixgraph-test"

var testNow = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

// open creates an issuer under a base path, with a fixed clock.
func open(t *testing.T) *issuer.Issuer {
	t.Helper()
	iss, err := issuer.New(issuer.Config{
		URL: "http://127.0.0.1:8080/oidc", Audience: testAudience, Now: func() time.Time { return testNow },
	})
	must(t, err)
	return iss
}

// send sends a request to the issuer without a connection. A form makes it a POST.
func send(iss *issuer.Issuer, target string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if form != nil {
		r = httptest.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	iss.ServeHTTP(w, r)
	return w
}

func get(iss *issuer.Issuer, target string) (status int, body string) {
	w := send(iss, target, nil)
	return w.Code, w.Body.String()
}

func TestNewRejectsInvalidConfig(t *testing.T) {
	tests := []struct {
		name   string
		config issuer.Config
		want   string
	}{
		{"no URL", issuer.Config{Audience: "a"}, "URL"},
		{"relative URL", issuer.Config{URL: "/x", Audience: "a"}, "URL"},
		{"trailing slash", issuer.Config{URL: "http://127.0.0.1:1/", Audience: "a"}, "URL"},
		{"query", issuer.Config{URL: "http://127.0.0.1:1?a=b", Audience: "a"}, "URL"},
		{"an alias with another path", issuer.Config{URL: "http://127.0.0.1:1/a", Audience: "a", Aliases: []string{"http://localhost:1"}}, "Aliases"},
		{"a relative alias", issuer.Config{URL: "http://127.0.0.1:1/a", Audience: "a", Aliases: []string{"/a"}}, "Aliases"},
		{"no audience", issuer.Config{URL: "http://127.0.0.1:1"}, "Audience"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := issuer.New(tt.config); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New = %v, want an error that names %s", err, tt.want)
			}
		})
	}
}

func TestMintedTokenVerifies(t *testing.T) {
	iss := open(t)
	tests := []struct {
		name  string
		grant issuer.Grant
		want  []string
	}{
		{"defaults", issuer.Grant{}, nil},
		{"scope", issuer.Grant{Scopes: []string{"b", "a"}}, []string{"a", "b"}},
		{"scp", issuer.Grant{Claims: map[string]any{"scp": []string{"a"}}}, []string{"a"}},
		{"permissions", issuer.Grant{Claims: map[string]any{"permissions": []string{"a"}}}, []string{"a"}},
		{"RS256", issuer.Grant{Scopes: []string{"a"}, Algorithm: issuer.RS256}, []string{"a"}},
		{"two audiences", issuer.Grant{Audience: []string{"x", testAudience}}, nil},
		{"claim removed", issuer.Grant{Claims: map[string]any{"nbf": nil}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.grant.Subject = "someone"
			c, err := iss.Verify(iss.Mint(tt.grant))
			must(t, err)
			if c.Subject != "someone" || !slices.Equal(c.Scopes, tt.want) || !c.Expiry.Equal(testNow.Add(time.Hour)) {
				t.Errorf("claims = %+v, want scopes %v for an hour", c, tt.want)
			}
		})
	}
}

func TestVerifyRejects(t *testing.T) {
	iss := open(t)
	other := open(t)
	good := iss.Mint(issuer.Grant{})
	tests := []struct{ name, token string }{
		{"empty", ""},
		{"not a JWT", "abc"},
		{"tampered", good[:len(good)-6] + "AAAAAA"},
		{"expired", iss.Mint(issuer.Grant{TTL: -time.Second})},
		{"expires now", iss.Mint(issuer.Grant{Claims: map[string]any{"exp": testNow.Unix()}})},
		{"no exp", iss.Mint(issuer.Grant{Claims: map[string]any{"exp": nil}})},
		{"not yet", iss.Mint(issuer.Grant{Claims: map[string]any{"nbf": testNow.Unix() + 1}})},
		{"another audience", iss.Mint(issuer.Grant{Audience: []string{"x"}})},
		{"another issuer", iss.Mint(issuer.Grant{Claims: map[string]any{"iss": "x"}})},
		{"no subject", iss.Mint(issuer.Grant{Claims: map[string]any{"sub": nil}})},
		{"another issuer's key", other.Mint(issuer.Grant{Claims: map[string]any{"iss": iss.URL()}})},
		{"alg none", iss.Sign(map[string]any{"alg": "none"}, map[string]any{})},
		{"claims of a wrong type", iss.Mint(issuer.Grant{Claims: map[string]any{"exp": "soon"}})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := iss.Verify(tt.token)
			if !errors.Is(err, issuer.ErrInvalidToken) {
				t.Errorf("Verify = %v, want ErrInvalidToken", err)
			}
		})
	}
}

func TestDiscovery(t *testing.T) {
	iss := open(t)
	status, body := get(iss, iss.URL()+issuer.PathDiscovery)
	var doc struct {
		Issuer     string   `json:"issuer"`
		JWKS       string   `json:"jwks_uri"`
		Authorize  string   `json:"authorization_endpoint"`
		Token      string   `json:"token_endpoint"`
		Challenges []string `json:"code_challenge_methods_supported"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v", status, err)
	}
	if doc.Issuer != iss.URL() || !slices.Equal(doc.Challenges, []string{"S256"}) {
		t.Errorf("discovery = %+v", doc)
	}
	for _, endpoint := range []string{doc.JWKS, doc.Authorize, doc.Token} {
		if status, _ := get(iss, endpoint); status == http.StatusNotFound {
			t.Errorf("%s is in the discovery document and not served", endpoint)
		}
	}
}

// TestAliases: a client gets the endpoints and the tokens of the URL that it uses, by each flow, and all of them are
// valid.
func TestAliases(t *testing.T) {
	const primary, alias = "http://127.0.0.1:8080/oidc", "http://localhost:8080/oidc"
	iss, err := issuer.New(issuer.Config{URL: primary, Aliases: []string{alias}, Audience: testAudience, Now: func() time.Time { return testNow }})
	must(t, err)
	if iss.URL() != primary || !slices.Equal(iss.URLs(), []string{primary, alias}) {
		t.Errorf("URLs %v", iss.URLs())
	}
	issOf := func(token string) string {
		t.Helper()
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
		must(t, err)
		var claims struct{ Iss string }
		must(t, json.Unmarshal(payload, &claims))
		return claims.Iss
	}
	for base, want := range map[string]string{primary: primary, alias: alias, "http://proxy.example.com/oidc": primary} {
		if _, text := get(iss, base+issuer.PathDiscovery); strings.Count(text, `"`+want) != 5 {
			t.Errorf("discovery at %s: %s", base, text)
		}
		form := authorization()
		form.Set("persona", "full")
		code := redirected(t, send(iss, base+issuer.PathAuthorize, form).Result()).Get("code")
		for _, form := range []url.Values{redemption(code), {"grant_type": {"client_credentials"}}} {
			var got tokenAnswer
			must(t, json.Unmarshal(send(iss, base+issuer.PathToken, form).Body.Bytes(), &got))
			if issOf(got.AccessToken) != want || got.IDToken != "" && issOf(got.IDToken) != want {
				t.Errorf("at %s: iss %s, want %s", base, issOf(got.AccessToken), want)
			}
			if _, err := iss.Verify(got.AccessToken); err != nil {
				t.Errorf("at %s: %v", base, err)
			}
		}
	}
	if got := issOf(iss.Mint(issuer.Grant{})); got != primary {
		t.Errorf("a minted token has iss %s", got)
	}
}

func TestRotate(t *testing.T) {
	iss := open(t)
	first := iss.Mint(issuer.Grant{})
	iss.Rotate(true)
	second := iss.Mint(issuer.Grant{})
	if n := len(iss.KeySet().Keys); n != 2 {
		t.Errorf("%d keys after a rotation that keeps the old key, want 2", n)
	}
	if _, err := iss.Verify(first); err != nil {
		t.Errorf("token of a kept key: %v", err)
	}
	iss.Rotate(false)
	if n := len(iss.KeySet().Keys); n != 1 {
		t.Errorf("%d keys after a rotation that drops the old key, want 1", n)
	}
	for _, token := range []string{first, second} {
		if _, err := iss.Verify(token); err == nil {
			t.Error("token of a withdrawn key verifies")
		}
	}
}

func TestJWKSContainsNoPrivateKey(t *testing.T) {
	iss := open(t)
	iss.Mint(issuer.Grant{Algorithm: issuer.RS256})
	_, body := get(iss, iss.URL()+issuer.PathJWKS)
	var set struct{ Keys []map[string]any }
	must(t, json.Unmarshal([]byte(body), &set))
	if len(set.Keys) != 2 {
		t.Fatalf("%d keys, want ES256 and RS256", len(set.Keys))
	}
	for _, key := range set.Keys {
		for _, private := range []string{"d", "p", "q", "k"} {
			if _, ok := key[private]; ok {
				t.Errorf("member %q of a private key is served", private)
			}
		}
	}
}

func TestOutageOverrideAndCounter(t *testing.T) {
	iss := open(t)
	jwks := iss.URL() + issuer.PathJWKS
	iss.SetDown(true)
	if status, _ := get(iss, jwks); status != http.StatusServiceUnavailable {
		t.Errorf("down: status %d", status)
	}
	iss.SetDown(false)
	iss.Override(issuer.PathJWKS, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "poison")
	}))
	if _, body := get(iss, jwks); body != "poison" {
		t.Errorf("override: body %q", body)
	}
	iss.Override(issuer.PathJWKS, nil)
	if status, body := get(iss, jwks); status != http.StatusOK || body == "poison" {
		t.Errorf("after the override: %d %q", status, body)
	}
	if n := iss.JWKSFetches(); n != 3 {
		t.Errorf("JWKSFetches = %d, want 3", n)
	}
	if n := iss.Requests(issuer.PathDiscovery); n != 0 {
		t.Errorf("Requests(discovery) = %d, want 0", n)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
