package doctor_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestTokensThatAreRefused: the report has what a token says of itself, and what the operator can do.
func TestTokensThatAreRefused(t *testing.T) {
	minted := func(claims map[string]any) func(*sandbox.Sandbox) string {
		return func(box *sandbox.Sandbox) string { return box.Issuer().Mint(issuer.Grant{Claims: claims}) }
	}
	signed := func(header, claims map[string]any) func(*sandbox.Sandbox) string {
		return func(box *sandbox.Sandbox) string {
			all := map[string]any{"iss": box.Issuer().URL(), "sub": "s", "aud": "pixgraph-sandbox", "exp": time.Now().Add(time.Hour).Unix()}
			for name, value := range claims {
				all[name] = value
			}
			return box.Issuer().Sign(header, all)
		}
	}
	always := func(token string) func(*sandbox.Sandbox) string {
		return func(*sandbox.Sandbox) string { return token }
	}
	for _, tt := range []struct {
		name   string
		token  func(*sandbox.Sandbox) string
		result doctor.Result
		says   []string
	}{
		{"opaque", always("opaque-token"), doctor.Fail, []string{"it is opaque", "auth_mode=forward"}},
		{"encrypted", always("a.b.c.d.e"), doctor.Fail, []string{"it is encrypted"}},
		{"too long", always(strings.Repeat("a", 16<<10+1)), doctor.Fail, []string{"it has 16385 bytes, and at most 16384"}},
		{"with its scheme", always("Bearer a.b.c"), doctor.Fail, []string{`without "Bearer "`}},
		{"of another type", signed(map[string]any{"typ": "logout+jwt"}, nil), doctor.Fail, []string{"its typ is logout+jwt"}},
		{"an ID token", signed(nil, map[string]any{"nonce": "n"}), doctor.Fail, []string{"an ID token", "not id_token"}},
		{"another algorithm", signed(map[string]any{"alg": "HS256"}, nil), doctor.Fail, []string{"its alg is HS256"}},
		{"another issuer", minted(map[string]any{"iss": "https://other.example.com"}), doctor.Fail, []string{"its iss is https://other.example.com"}},
		{"several audiences", minted(map[string]any{"aud": []string{"one", "two"}}), doctor.Fail, []string{"its aud is one, two"}},
		{"no audience", minted(map[string]any{"aud": nil}), doctor.Fail, []string{"its aud is absent"}},
		{"no subject", minted(map[string]any{"sub": nil}), doctor.Fail, []string{"sub is missing"}},
		{"exp a text", minted(map[string]any{"exp": "1"}), doctor.Fail, []string{"exp is a text"}},
		{"aud and sub of other forms", minted(map[string]any{"aud": map[string]any{}, "sub": 5}), doctor.Fail, []string{"aud is an object, sub is a number"}},
		{"expired", minted(map[string]any{"exp": 1}), doctor.Fail, []string{"expired: at 1970-01-01T00:00:01Z"}},
		{"not valid yet", minted(map[string]any{"nbf": 4102444800}), doctor.Fail, []string{"nbf 2100-01-01T00:00:00Z"}},
		{"an invalid signature, without kid", func(box *sandbox.Sandbox) string {
			return signed(map[string]any{"kid": nil}, nil)(box) + "AAAA"
		}, doctor.Fail, []string{"signature invalid: it has no kid"}},
		{"an unknown key", signed(map[string]any{"kid": "other"}, nil), doctor.Fail, []string{"unknown key: it has a kid"}},
		{"without kid", signed(map[string]any{"kid": nil}, nil), doctor.OK, []string{"no kid"}},
		{"bound to a key", minted(map[string]any{"cnf": map[string]any{"jkt": "x"}}), doctor.Fail, []string{"DPoP", "auth_token_binding"}},
		{"bound to a certificate", minted(map[string]any{"cnf": map[string]any{"x5t#S256": strings.Repeat("A", 43)}}), doctor.Fail,
			[]string{"client certificate", "tls_client_ca"}},

		{"expired within the leeway", func(box *sandbox.Sandbox) string {
			return box.Issuer().Mint(issuer.Grant{Claims: map[string]any{"exp": time.Now().Add(-5 * time.Second).Unix()}})
		}, doctor.Warn, []string{"expired 5s ago", "clocks of 30s"}},
		{"valid until the year 3000", minted(map[string]any{"exp": 32503680000}), doctor.OK, []string{"expires at 3000-01-01T00:00:00Z"}},
		{"scopes of other forms", minted(map[string]any{"permissions": []any{map[string]any{"id": 1}}, "scp": 5}), doctor.Warn,
			[]string{"permissions is a list with an object, scp is a number"}},
	} {
		t.Run(tt.name, testCase{token: tt.token, rows: []row{{"token", tt.result, tt.says}}}.examineToken)
	}
}

// examineToken is examine, except for whether the APIs accept the token: they are stricter.
func (c testCase) examineToken(t *testing.T) {
	bubble(t, func(s *site) { expect(t, s.run(c.token(s.box)), c.rows...) })
}

// TestUnknownScopes: a token that does not say its scopes is left to the dispatcher.
func TestUnknownScopes(t *testing.T) {
	testCase{token: func(box *sandbox.Sandbox) string {
		return box.Issuer().Mint(issuer.Grant{Claims: map[string]any{"scope": nil}})
	}, passes: true, rows: []row{
		{"scope get_dispatcher", doctor.OK, []string{"the dispatcher decides"}},
		{"look up a notification", doctor.Warn, []string{"403"}},
	}}.examine(t)
}

// TestIssuers: each reason why the keys of an issuer cannot be fetched has its name.
func TestIssuers(t *testing.T) {
	answer := func(path, text string) func(*testing.T, *sandbox.Sandbox) {
		return func(_ *testing.T, box *sandbox.Sandbox) {
			box.Issuer().Override(path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }))
		}
	}
	redirect := func(_ *testing.T, box *sandbox.Sandbox) {
		box.Issuer().Override(issuer.PathDiscovery, http.RedirectHandler("/elsewhere", http.StatusMovedPermanently))
	}
	missing := func(_ *testing.T, box *sandbox.Sandbox) {
		box.Issuer().Override(issuer.PathDiscovery, http.NotFoundHandler())
	}
	for _, tt := range []struct {
		name   string
		inject func(*testing.T, *sandbox.Sandbox)
		row    row
	}{
		{"another issuer", answer(issuer.PathDiscovery, `{"issuer":"https://other.example.com"}`),
			row{"issuer ", doctor.Fail, []string{"names another issuer: https://other.example.com", "to the slash"}}},
		{"no issuer", answer(issuer.PathDiscovery, `{}`), row{"issuer ", doctor.Fail, []string{"names another issuer: absent"}}},
		{"a redirect", redirect, row{"issuer ", doctor.Fail, []string{"status 301: a redirect, which is not followed"}}},
		{"a page", answer(issuer.PathDiscovery, "<!doctype html>"), row{"issuer ", doctor.Fail, []string{"a page of HTML", "sign in at a proxy"}}},
		{"a page for keys", answer(issuer.PathJWKS, "<html>"), row{"issuer ", doctor.Fail, []string{"keys: a page of HTML"}}},
		{"metadata of OAuth only", missing, row{"issuer ", doctor.Fail, []string{"metadata of OAuth only (RFC 8414)", "OpenID Connect Discovery"}}},
	} {
		t.Run(tt.name, testCase{injectFaults: tt.inject, rows: []row{tt.row, {"token", doctor.Fail, []string{"issuers above"}}}}.examine)
	}
}

// TestPages: the issuer must let the pages of public_url read its configuration, if users sign in there.
func TestPages(t *testing.T) {
	const public, client = "--public-url=http://localhost:5555/a", "--console-client-id=pages"
	for _, tt := range []struct {
		name   string
		allows string // Access-Control-Allow-Origin
		row    row    // its zero value for none
		flags  []string
	}{
		{"every origin", "*", row{"sign-in of the pages", doctor.OK, nil}, []string{public, client}},
		{"this origin", "http://localhost:5555", row{"sign-in of the pages", doctor.OK, nil}, []string{public, client}},
		{"another origin", "https://other.example.com", row{"sign-in of the pages", doctor.Warn, []string{"http://localhost:5555", "(CORS)", "pages"}},
			[]string{public, client}},
		{"no origin", "", row{"sign-in of the pages", doctor.Warn, []string{"(CORS)"}}, []string{public, client}},
		{"nobody signs in", "", row{}, []string{public}},
		{"no public URL", "", row{}, []string{client}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(s *site) {
				iss := s.box.Issuer()
				iss.Override(issuer.PathDiscovery, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Access-Control-Allow-Origin", tt.allows)
					_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, iss.URL(), iss.URL()+issuer.PathJWKS)
				}))
				report := s.run(s.box.Token(), tt.flags...)
				if tt.row.what != "" {
					expect(t, report, tt.row)
				} else if strings.Contains(texts(t, report)[0], "sign-in of the pages") {
					t.Error(texts(t, report)[0])
				}
			})
		})
	}
}
