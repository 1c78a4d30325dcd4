package web_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"pixgraph/web"
)

func TestPolicy(t *testing.T) {
	tests := []struct {
		name   string
		signIn *web.SignIn
		asks   string // connect-src and frame-src
	}{
		{"without signing in", nil, "'self'"},
		{"an issuer", &web.SignIn{Issuer: "https://login.example.com/realm?x"}, "'self' https://login.example.com"},
		{"on a port", &web.SignIn{Issuer: "http://127.0.0.1:4711"}, "'self' http://127.0.0.1:4711"},
		{
			"with endpoints at another origin",
			&web.SignIn{Issuer: "https://a.example.com", Origins: always("https://b.example.com/token", "https://c.example.com;script-src *")},
			"'self' https://a.example.com https://b.example.com",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := of(t, web.Config{SignIn: tt.signIn})
			payments := map[string]string{
				"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:", "connect-src": tt.asks,
				"frame-src": tt.asks, "frame-ancestors": "'none'", "base-uri": "'none'", "form-action": "'none'",
			}
			graphiql := maps.Clone(payments)
			graphiql["worker-src"], graphiql["font-src"], graphiql["style-src"] = "'self'", "'self'", "'self' 'unsafe-inline'"
			for path, want := range map[string]map[string]string{"/": graphiql, "/payments": payments} {
				header := ask(c, "GET", path).Header()
				policy := directives(header.Get("Content-Security-Policy"))
				if !maps.Equal(policy, want) || header.Get("X-Frame-Options") != "DENY" {
					t.Errorf("%s: policy %v, want %v; X-Frame-Options %s", path, policy, want, header.Get("X-Frame-Options"))
				}
			}
		})
	}
}

// TestCallbackPolicy: the console may frame the callback page, which may only run its script.
func TestCallbackPolicy(t *testing.T) {
	w := ask(of(t, web.Config{}), "GET", "/signed-in")
	policy := directives(w.Header().Get("Content-Security-Policy"))
	if policy["frame-ancestors"] != "'self'" || policy["script-src"] != "'self'" || policy["default-src"] != "'none'" || policy["connect-src"] != "" {
		t.Errorf("policy %v", policy)
	}
	if w.Header().Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("X-Frame-Options %s", w.Header().Get("X-Frame-Options"))
	}
}

// TestInvalidIssuers: only valid origins get into the policy.
func TestInvalidIssuers(t *testing.T) {
	for _, issuer := range []string{
		"", "login.example.com", "/login", "javascript:alert(1)", "https://a.example.com;script-src *", "https://a.example.com 'unsafe-eval'", "https://",
		"https://*", "https://*.com",
	} {
		if _, err := web.Of(build(), web.Config{SignIn: &web.SignIn{Issuer: issuer}}); err == nil {
			t.Errorf("%q is accepted as an issuer", issuer)
		}
		c := of(t, web.Config{SignIn: &web.SignIn{Issuer: "https://a.example.com", Origins: always(issuer)}})
		if policy := directives(ask(c, "GET", "/").Header().Get("Content-Security-Policy")); policy["connect-src"] != "'self' https://a.example.com" {
			t.Errorf("%q is accepted as an origin: %v", issuer, policy)
		}
	}
}

// always returns a function that returns these origins.
func always(origins ...string) func(context.Context) []string {
	return func(context.Context) []string { return origins }
}

func directives(policy string) map[string]string {
	all := map[string]string{}
	for directive := range strings.SplitSeq(policy, ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		all[name] = sources
	}
	return all
}
