package issuer_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox/issuer"
)

type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Scope       string
	IDToken     string `json:"id_token"`
	Error       string
}

func postToken(t *testing.T, iss *issuer.Issuer, form url.Values) (int, tokenAnswer) {
	t.Helper()
	resp, err := http.PostForm(iss.URL()+issuer.PathToken, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a tokenAnswer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("Cache-Control") != "no-store" {
		t.Error("the response with a token may be cached")
	}
	return resp.StatusCode, a
}

// redemption is a valid token request for a code, modified like authorization.
func redemption(code string, pairs ...string) url.Values {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"console"},
		"redirect_uri": {testRedirect}, "code_verifier": {testVerifier},
	}
	for n := 0; n < len(pairs); n += 2 {
		form.Set(pairs[n], pairs[n+1])
	}
	return form
}

func redeem(t *testing.T, iss *issuer.Issuer, code string) tokenAnswer {
	t.Helper()
	status, a := postToken(t, iss, redemption(code))
	if status != http.StatusOK {
		t.Fatalf("status %d, %s", status, a.Error)
	}
	return a
}

func TestEachPersonaGetsItsToken(t *testing.T) {
	tests := []struct {
		persona string
		scopes  []string
		ttl     time.Duration
	}{
		{"full", []string{issuer.ScopeDispatcher}, time.Hour},
		{"without-dispatcher", nil, time.Hour},
		{"expires-soon", []string{issuer.ScopeDispatcher}, time.Minute},
	}
	iss := serve(t)
	for _, tt := range tests {
		t.Run(tt.persona, func(t *testing.T) {
			a := redeem(t, iss, choose(t, browser(t), iss, tt.persona, authorization()).Get("code"))
			c, err := iss.Verify(a.AccessToken)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Scopes, tt.scopes) || !c.Expiry.Equal(testNow.Add(tt.ttl)) || c.Subject != "sandbox-"+tt.persona {
				t.Errorf("claims = %+v", c)
			}
			if a.TokenType != "Bearer" || a.ExpiresIn != int(tt.ttl.Seconds()) || a.Scope != strings.Join(tt.scopes, " ") {
				t.Errorf("response: %s, %d s, scope %q", a.TokenType, a.ExpiresIn, a.Scope)
			}
			var id struct{ Aud, Nonce, Sub string }
			payload, err := base64.RawURLEncoding.DecodeString(strings.Split(a.IDToken, ".")[1])
			if err != nil || json.Unmarshal(payload, &id) != nil || id.Aud != "console" || id.Nonce != "n" || id.Sub != c.Subject {
				t.Errorf("id_token claims %s, %v", payload, err)
			}
			if _, err := iss.Verify(a.IDToken); err == nil {
				t.Error("the id_token is accepted as an access token")
			}
		})
	}
}

func TestNoIDTokenWithoutOpenIDScope(t *testing.T) {
	iss := serve(t)
	if a := redeem(t, iss, choose(t, browser(t), iss, "full", authorization("scope", "")).Get("code")); a.IDToken != "" {
		t.Error("an id_token without the scope openid")
	}
}

func TestInvalidCode(t *testing.T) {
	iss := serve(t)
	tests := []struct {
		name  string
		pairs []string
	}{
		{"another verifier", []string{"code_verifier", testVerifier + "x"}},
		{"the challenge as verifier", []string{"code_verifier", challengeOf(testVerifier)}},
		{"no verifier", []string{"code_verifier", ""}},
		{"another client", []string{"client_id", "other"}},
		{"another redirect", []string{"redirect_uri", "http://127.0.0.1:4711/callback"}},
		{"unknown code", []string{"code", "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := choose(t, browser(t), iss, "full", authorization()).Get("code")
			status, a := postToken(t, iss, redemption(code, tt.pairs...))
			if status != http.StatusBadRequest || a.Error != "invalid_grant" || a.AccessToken != "" {
				t.Errorf("status %d, %s", status, a.Error)
			}
		})
	}
}

func TestCodeExpiresAfterUseAndTime(t *testing.T) {
	now := testNow
	iss, err := issuer.New(issuer.Config{URL: "http://127.0.0.1:1", Audience: "a", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	post := func(path string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		iss.ServeHTTP(w, r)
		return w
	}
	code := func() string {
		form := authorization()
		form.Set("persona", "full")
		return redirected(t, post(issuer.PathAuthorize, form).Result()).Get("code")
	}
	used := code()
	if w := post(issuer.PathToken, redemption(used)); w.Code != http.StatusOK {
		t.Errorf("first use: %d %s", w.Code, w.Body)
	}
	if w := post(issuer.PathToken, redemption(used)); w.Code != http.StatusBadRequest {
		t.Errorf("second use: %d", w.Code)
	}
	misused := code()
	post(issuer.PathToken, redemption(misused, "code_verifier", "x"))
	if w := post(issuer.PathToken, redemption(misused)); w.Code != http.StatusBadRequest {
		t.Errorf("after a wrong verifier: %d", w.Code)
	}
	intime, late := code(), code()
	now = now.Add(time.Minute - 1)
	if w := post(issuer.PathToken, redemption(intime)); w.Code != http.StatusOK {
		t.Errorf("just before the end: %d", w.Code)
	}
	now = now.Add(1)
	if w := post(issuer.PathToken, redemption(late)); w.Code != http.StatusBadRequest {
		t.Errorf("a minute later: %d", w.Code)
	}
}

func TestClientCredentials(t *testing.T) {
	tests := []struct {
		name   string
		form   url.Values
		status int
		scopes []string
		ttl    time.Duration
	}{
		{"defaults", url.Values{}, http.StatusOK, []string{issuer.ScopeDispatcher}, time.Hour},
		{"scopes", url.Values{"scope": {"b a"}}, http.StatusOK, []string{"a", "b"}, time.Hour},
		{"no scope", url.Values{"scope": {""}}, http.StatusOK, nil, time.Hour},
		{"ttl", url.Values{"ttl": {"5"}}, http.StatusOK, []string{issuer.ScopeDispatcher}, 5 * time.Second},
		{"ttl of zero", url.Values{"ttl": {"0"}}, http.StatusBadRequest, nil, 0},
		{"ttl above a day", url.Values{"ttl": {"86401"}}, http.StatusBadRequest, nil, 0},
		{"ttl not a number", url.Values{"ttl": {"soon"}}, http.StatusBadRequest, nil, 0},
		{"unknown grant", url.Values{"grant_type": {"password"}}, http.StatusBadRequest, nil, 0},
	}
	iss := serve(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.form.Has("grant_type") {
				tt.form.Set("grant_type", "client_credentials")
			}
			tt.form.Set("subject", "someone")
			status, a := postToken(t, iss, tt.form)
			if status != tt.status {
				t.Fatalf("status %d, want %d", status, tt.status)
			}
			if status != http.StatusOK {
				return
			}
			c, err := iss.Verify(a.AccessToken)
			if err != nil || !slices.Equal(c.Scopes, tt.scopes) || !c.Expiry.Equal(testNow.Add(tt.ttl)) || c.Subject != "someone" {
				t.Errorf("claims = %+v, %v", c, err)
			}
		})
	}
}

func TestCrossOrigin(t *testing.T) {
	iss := serve(t)
	tests := []struct {
		name, method, path, origin string
		status                     int
		allowed                    bool
	}{
		{"discovery from loopback", http.MethodGet, issuer.PathDiscovery, "http://127.0.0.1:8080", http.StatusOK, true},
		{"discovery from localhost", http.MethodGet, issuer.PathDiscovery, "http://localhost:8080", http.StatusOK, true},
		{"discovery from IPv6 loopback", http.MethodGet, issuer.PathDiscovery, "http://[::1]:8080", http.StatusOK, true},
		{"discovery without an origin", http.MethodGet, issuer.PathDiscovery, "", http.StatusOK, false},
		{"preflight of the token", http.MethodOptions, issuer.PathToken, "http://127.0.0.1:8080", http.StatusNoContent, true},
		{"token from another origin", http.MethodPost, issuer.PathToken, "https://example.com", http.StatusForbidden, false},
		{"token from a host with the same prefix", http.MethodPost, issuer.PathToken, "http://localhost.example.com", http.StatusForbidden, false},
		{"token from null", http.MethodPost, issuer.PathToken, "null", http.StatusForbidden, false},
		{"preflight from another origin", http.MethodOptions, issuer.PathToken, "https://example.com", http.StatusForbidden, false},
		{"token by GET", http.MethodGet, issuer.PathToken, "", http.StatusMethodNotAllowed, false},
		{"keys by POST", http.MethodPost, issuer.PathJWKS, "", http.StatusMethodNotAllowed, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, iss.URL()+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.origin != "" {
				req.Header.Set("Origin", tt.origin)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Fatal(err)
			}
			if got := resp.Header.Get("Access-Control-Allow-Origin"); resp.StatusCode != tt.status || (got == tt.origin && got != "") != tt.allowed {
				t.Errorf("status %d, allowed origin %q", resp.StatusCode, got)
			}
			if resp.Header.Get("Vary") != "Origin" {
				t.Errorf("Vary = %q", resp.Header.Get("Vary"))
			}
		})
	}
}
