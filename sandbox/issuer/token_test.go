package issuer_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox/issuer"
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
	w := send(iss, iss.URL()+issuer.PathToken, form)
	var a tokenAnswer
	must(t, json.Unmarshal(w.Body.Bytes(), &a))
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Error("the response with a token may be cached")
	}
	return w.Code, a
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
	iss := open(t)
	for _, tt := range tests {
		t.Run(tt.persona, func(t *testing.T) {
			a := redeem(t, iss, choose(t, browser(t, iss), iss, tt.persona, authorization()).Get("code"))
			c, err := iss.Verify(a.AccessToken)
			must(t, err)
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
	iss := open(t)
	if a := redeem(t, iss, choose(t, browser(t, iss), iss, "full", authorization("scope", "")).Get("code")); a.IDToken != "" {
		t.Error("an id_token without the scope openid")
	}
}

func TestInvalidCode(t *testing.T) {
	iss := open(t)
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
			code := choose(t, browser(t, iss), iss, "full", authorization()).Get("code")
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
	must(t, err)
	post := func(path string, form url.Values) *httptest.ResponseRecorder {
		return send(iss, "http://127.0.0.1:1"+path, form)
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

// TestClientCredentials: a form has the parameters of TestTokenAsText.
func TestClientCredentials(t *testing.T) {
	iss := open(t)
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"b a"}, "ttl": {"5"}, "subject": {"someone"}}
	status, a := postToken(t, iss, form)
	c, err := iss.Verify(a.AccessToken)
	if err != nil || status != http.StatusOK || !slices.Equal(c.Scopes, []string{"a", "b"}) || !c.Expiry.Equal(testNow.Add(5*time.Second)) ||
		c.Subject != "someone" || a.ExpiresIn != 5 {
		t.Errorf("status %d, %+v, claims = %+v, %v", status, a, c, err)
	}
	for name, value := range map[string]string{"ttl": "0", "grant_type": "password"} {
		form.Set(name, value)
		if status, a := postToken(t, iss, form); status != http.StatusBadRequest || a.Error == "" || a.AccessToken != "" {
			t.Errorf("%s=%s: status %d, %s", name, value, status, a.Error)
		}
	}
}

func TestTokenAsText(t *testing.T) {
	iss := open(t)
	full := []string{issuer.ScopeDispatcher}
	tests := []struct {
		name, query string
		status      int
		subject     string
		scopes      []string
		ttl         time.Duration
	}{
		{"defaults", "", http.StatusOK, issuer.DefaultSubject, full, time.Hour},
		{"a persona", "persona=without-dispatcher", http.StatusOK, "sandbox-without-dispatcher", nil, time.Hour},
		{"a persona that expires", "persona=expires-soon", http.StatusOK, "sandbox-expires-soon", full, time.Minute},
		{"a persona with other scopes", "persona=full&scope=a+b&subject=me", http.StatusOK, "me", []string{"a", "b"}, time.Hour},
		{"no scope", "scope=", http.StatusOK, issuer.DefaultSubject, nil, time.Hour},
		{"a ttl", "ttl=5", http.StatusOK, issuer.DefaultSubject, full, 5 * time.Second},
		{"an unknown persona", "persona=admin", http.StatusBadRequest, "", nil, 0},
		{"an unknown parameter", "scopes=", http.StatusBadRequest, "", nil, 0},
		{"an invalid ttl", "ttl=1h", http.StatusBadRequest, "", nil, 0},
		{"a ttl of zero", "ttl=0", http.StatusBadRequest, "", nil, 0},
		{"a ttl below minus a day", "ttl=-86401", http.StatusBadRequest, "", nil, 0},
		{"a ttl above a day", "ttl=86401", http.StatusBadRequest, "", nil, 0},
		{"an invalid query", "ttl=%", http.StatusBadRequest, "", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			iss.ServeText(w, httptest.NewRequest(http.MethodGet, "/sandbox/token?"+tt.query, nil))
			text := w.Body.String()
			if w.Code != tt.status || strings.HasSuffix(text, "\n") != (tt.status != http.StatusOK) ||
				w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
				t.Fatalf("%d %v %q", w.Code, w.Header(), text)
			}
			if tt.status != http.StatusOK {
				if strings.Contains(text, "eyJ") {
					t.Errorf("a token with the error: %s", text)
				}
				return
			}
			c, err := iss.Verify(text)
			if err != nil || c.Subject != tt.subject || !slices.Equal(c.Scopes, tt.scopes) || !c.Expiry.Equal(testNow.Add(tt.ttl)) {
				t.Errorf("claims %+v, %v", c, err)
			}
		})
	}
	w := httptest.NewRecorder()
	iss.ServeText(w, httptest.NewRequest(http.MethodGet, "/sandbox/token?ttl=-1", nil))
	if _, err := iss.Verify(w.Body.String()); w.Code != http.StatusOK || !strings.Contains(fmt.Sprint(err), "expired") {
		t.Errorf("a negative ttl gives %d and a token with %v", w.Code, err)
	}
}
