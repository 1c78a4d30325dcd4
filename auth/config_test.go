package auth_test

import (
	"strings"
	"testing"

	"pixgraph/auth"
)

func TestNewNamesTheInvalidSetting(t *testing.T) {
	oidc := func(edit func(*auth.Config)) auth.Config {
		c := auth.Config{Mode: auth.ModeOIDC, Issuers: []string{"https://id.example"}, Audiences: []string{"a"}}
		edit(&c)
		return c
	}
	tests := []struct {
		name   string
		config auth.Config
		want   []string // substrings of the error; nil if accepted
	}{
		{"zero", auth.Config{}, []string{"auth_issuer", "auth_mode", "forward"}},
		{"unknown mode, which verifies", auth.Config{Mode: "none"}, []string{"auth_issuer", `"forward"`}},
		{"no issuer", oidc(func(c *auth.Config) { c.Issuers = nil }), []string{"auth_issuer"}},
		{"no audience", oidc(func(c *auth.Config) { c.Audiences = nil }), []string{"auth_audience"}},
		{"empty audience", oidc(func(c *auth.Config) { c.Audiences = []string{""} }), []string{"auth_audience"}},
		{"http issuer", oidc(func(c *auth.Config) { c.Issuers = []string{"http://id.example"} }), []string{"auth_issuer", "https"}},
		{"http on a private address", oidc(func(c *auth.Config) { c.Issuers = []string{"http://10.0.0.1"} }), []string{"auth_issuer"}},
		{"a host that begins like loopback", oidc(func(c *auth.Config) { c.Issuers = []string{"http://127.0.0.1.example"} }), []string{"auth_issuer"}},
		{"no scheme", oidc(func(c *auth.Config) { c.Issuers = []string{"id.example"} }), []string{"auth_issuer"}},
		{"file issuer", oidc(func(c *auth.Config) { c.Issuers = []string{"file:///etc"} }), []string{"auth_issuer"}},
		{"issuer with a query", oidc(func(c *auth.Config) { c.Issuers = []string{"https://id.example?a=b"} }), []string{"auth_issuer"}},
		{"issuer with a password", oidc(func(c *auth.Config) { c.Issuers = []string{"https://u:canary@id.example"} }), []string{"auth_issuer"}},
		{"issuer twice", oidc(func(c *auth.Config) { c.Issuers = append(c.Issuers, c.Issuers[0]) }), []string{"auth_issuer", "twice"}},
		{"a token as mode", auth.Config{Mode: "canary"}, []string{"auth_mode"}},
		{"a token as issuer", oidc(func(c *auth.Config) { c.Issuers = []string{"canary.canary.canary"} }), []string{"auth_issuer"}},
		{"a token in an issuer's path, twice", oidc(func(c *auth.Config) {
			c.Issuers = []string{"https://id.example/canary", "https://id.example/canary"}
		}), []string{"auth_issuer", "twice"}},
		{"forward with an issuer", oidc(func(c *auth.Config) { c.Mode = auth.ModeForward }), []string{"auth_mode", "auth_issuer"}},
		{"forward", auth.Config{Mode: auth.ModeForward}, nil},
		{"https issuer", oidc(func(*auth.Config) {}), nil},
		{"no mode is oidc", oidc(func(c *auth.Config) { c.Mode = "" }), nil},
		{"issuer with a trailing slash", oidc(func(c *auth.Config) { c.Issuers = []string{"https://id.example/"} }), nil},
		{"http on localhost", oidc(func(c *auth.Config) { c.Issuers = []string{"http://localhost:1"} }), nil},
		{"http on IPv6 loopback", oidc(func(c *auth.Config) { c.Issuers = []string{"http://[::1]:1"} }), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := auth.New(tt.config)
			if err == nil {
				a.Close()
			}
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("New = %v, want an error that contains %q", err, tt.want)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("New = %v, want an error that contains %q", err, part)
				}
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the error of New contains a value: %v", err)
			}
		})
	}
}
