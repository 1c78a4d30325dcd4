package issuer_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pixgraph/sandbox/issuer"
)

const (
	testRedirect = "http://127.0.0.1:4711/callback?page=1"
	testVerifier = "a-verifier-of-the-length-that-pkce-asks-for-at-least"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorization is a valid request, modified by pairs of name and value; an empty value removes a parameter.
func authorization(pairs ...string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {"console"}, "redirect_uri": {testRedirect}, "state": {"st&te"},
		"scope": {"openid"}, "nonce": {"n"}, "code_challenge": {challengeOf(testVerifier)}, "code_challenge_method": {"S256"},
	}
	for n := 0; n < len(pairs); n += 2 {
		if q.Set(pairs[n], pairs[n+1]); pairs[n+1] == "" {
			q.Del(pairs[n])
		}
	}
	return q
}

// direct passes requests to a handler without a connection.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w, received := httptest.NewRecorder(), r.Clone(r.Context())
	received.Host = r.URL.Host
	d.ServeHTTP(w, received)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// browser is a client that keeps cookies and does not follow redirects.
func browser(t *testing.T, iss *issuer.Issuer) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &http.Client{
		Transport: direct{iss}, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// choose submits the page's form and returns the query of the redirect.
func choose(t *testing.T, b *http.Client, iss *issuer.Issuer, persona string, form url.Values) url.Values {
	t.Helper()
	form.Set("persona", persona)
	resp, err := b.PostForm(iss.URL()+issuer.PathAuthorize, form)
	must(t, err)
	return redirected(t, resp)
}

// silently sends a request with prompt=none.
func silently(t *testing.T, b *http.Client, iss *issuer.Issuer) url.Values {
	t.Helper()
	resp, err := b.Get(iss.URL() + issuer.PathAuthorize + "?" + authorization("prompt", "none").Encode())
	must(t, err)
	return redirected(t, resp)
}

func redirected(t *testing.T, resp *http.Response) url.Values {
	t.Helper()
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil || resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d, %v: want a redirect", resp.StatusCode, err)
	}
	q := to.Query()
	if to.Host != "127.0.0.1:4711" || to.Path != "/callback" || q.Get("page") != "1" || q.Get("state") != "st&te" {
		t.Fatalf("redirected to %s", to)
	}
	return q
}

func TestAuthorizationPage(t *testing.T) {
	iss := open(t)
	resp, err := browser(t, iss).Get(iss.URL() + issuer.PathAuthorize + "?" + authorization("client_id", "<script>", "prompt", "login").Encode())
	must(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(t, err)
	page := string(b)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
	for _, want := range []string{"Full access", "Without get_dispatcher", "Expires in a minute", `value="st&amp;te"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, refused := range []string{"<script", "src=", "href=", `name="prompt"`} {
		if strings.Contains(page, refused) {
			t.Errorf("the page contains %q", refused)
		}
	}
	style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
	sum := sha256.Sum256([]byte(style))
	policy := resp.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", "form-action 'self' http://127.0.0.1:4711"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %q", policy, want)
		}
	}
}

func TestAuthorizationRejects(t *testing.T) {
	iss := open(t)
	tests := []struct {
		name   string
		query  url.Values
		status int
		code   string // of the redirect
	}{
		{"no redirect", authorization("redirect_uri", ""), http.StatusBadRequest, ""},
		{"redirect to another host", authorization("redirect_uri", "http://example.com/"), http.StatusBadRequest, ""},
		{"redirect with another scheme", authorization("redirect_uri", "ftp://127.0.0.1/"), http.StatusBadRequest, ""},
		{"redirect to a host with the same prefix", authorization("redirect_uri", "http://127.0.0.1.example.com/"), http.StatusBadRequest, ""},
		{"redirect with a user", authorization("redirect_uri", "http://127.0.0.1@example.com/"), http.StatusBadRequest, ""},
		{"redirect with a fragment", authorization("redirect_uri", "http://127.0.0.1/#x"), http.StatusBadRequest, ""},
		{"redirect to a script", authorization("redirect_uri", "javascript:alert(1)"), http.StatusBadRequest, ""},
		{"no client", authorization("client_id", ""), http.StatusSeeOther, "invalid_request"},
		{"no challenge", authorization("code_challenge", ""), http.StatusSeeOther, "invalid_request"},
		{"plain challenge", authorization("code_challenge_method", "plain"), http.StatusSeeOther, "invalid_request"},
		{"no method, which means plain", authorization("code_challenge_method", ""), http.StatusSeeOther, "invalid_request"},
		{"short challenge", authorization("code_challenge", "abc"), http.StatusSeeOther, "invalid_request"},
		{"implicit", authorization("response_type", "token"), http.StatusSeeOther, "unsupported_response_type"},
		{"silent without a session", authorization("prompt", "none"), http.StatusSeeOther, "login_required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := browser(t, iss).Get(iss.URL() + issuer.PathAuthorize + "?" + tt.query.Encode())
			must(t, err)
			defer resp.Body.Close()
			if resp.StatusCode != tt.status {
				t.Fatalf("status %d, want %d", resp.StatusCode, tt.status)
			}
			if tt.code != "" {
				if q := redirected(t, resp); q.Get("error") != tt.code || q.Has("code") {
					t.Errorf("redirected with %v, want error %s", q, tt.code)
				}
			} else if resp.Header.Get("Location") != "" {
				t.Error("redirected")
			}
		})
	}
}

func TestUnknownPersonaIsDenied(t *testing.T) {
	iss := open(t)
	if q := choose(t, browser(t, iss), iss, "root", authorization()); q.Get("error") != "access_denied" || q.Has("code") {
		t.Errorf("redirected with %v", q)
	}
}

func TestSilentLoginKeepsThePersona(t *testing.T) {
	iss := open(t)
	b := browser(t, iss)
	choose(t, b, iss, "without-dispatcher", authorization())
	first := redeem(t, iss, silently(t, b, iss).Get("code"))
	choose(t, b, iss, "full", authorization())
	second := redeem(t, iss, silently(t, b, iss).Get("code"))
	if first.Scope != "" || second.Scope != issuer.ScopeDispatcher {
		t.Errorf("scopes %q then %q", first.Scope, second.Scope)
	}
	address, err := url.Parse(iss.URL() + issuer.PathAuthorize)
	must(t, err)
	if n := len(b.Jar.Cookies(address)); n != 1 {
		t.Errorf("%d cookies, want 1", n)
	}
}
