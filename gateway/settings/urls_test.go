package settings_test

import (
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

// TestURLs: valid URLs, origins and parameters are accepted. The error about an invalid one begins with its key.
func TestURLs(t *testing.T) {
	const core, dispatcher = "--core-url=https://core.example.com/v1", "--dispatcher-url=https://dispatcher.example.com:8443"
	tests := []struct {
		name  string
		flags []string
		err   string // the prefix of the error; empty for no error
	}{
		{name: "two URLs", flags: []string{core, dispatcher}},
		{name: "an address as a host", flags: []string{"--core-url=http://[::1]:65535", dispatcher}},
		{name: "a port above 65535", flags: []string{"--core-url=http://core:65536", dispatcher}, err: "core_url: must be"},
		{name: "port 0", flags: []string{core, "--dispatcher-url=http://core:0"}, err: "dispatcher_url: must be"},
		{name: "no port after the colon", flags: []string{"--core-url=http://core:/v1", dispatcher}, err: "core_url: must be"},
		{name: "a password", flags: []string{core, "--dispatcher-url=http://a:s3cret@core"}, err: "dispatcher_url: must be"},
		{name: "as many streams as connections", flags: []string{"--live-streams=10", "--limits-connections=10"},
			err: "limits_connections must be more than live_streams (10)"},
		{name: "the same without streams", flags: []string{"--live=off", "--live-streams=10", "--limits-connections=10"}},
		{name: "one URL", flags: []string{core}, err: "core_url and dispatcher_url must both be set"},
		{name: "an issuer without APIs", flags: []string{"--auth-issuer=https://login.example.com"}, err: "auth_issuer is for real services: set core_url"},
		{name: "an issuer", flags: []string{core, dispatcher, "--auth-issuer=https://login.example.com:443/realm"}},
		{name: "an issuer's port above 65535",
			flags: []string{core, dispatcher, "--auth-issuer=https://a.example.com,https://login.example.com:65536"}, err: "auth_issuer: must be a list of URLs"},
		{name: "an issuer with a password", flags: []string{core, dispatcher, "--auth-issuer=https://a:s3cret@login.example.com"}, err: "auth_issuer: must be"},
		{name: "an issuer that is not a URL", flags: []string{core, dispatcher, "--auth-issuer=s3cret%"}, err: "auth_issuer: must be"},
		{name: "origins", flags: []string{"--cors-origins=https://app.example.com,http://localhost:3000"}},
		{name: "every origin", flags: []string{"--cors-origins=*"}},
		{name: "every origin and one more", flags: []string{"--cors-origins=*,https://app.example.com"}, err: "cors_origins: must be a list of origins"},
		{name: "an origin with a slash", flags: []string{"--cors-origins=http://localhost:5173,https://app.example.com/"},
			err: "cors_origins: an origin must be https://app.example.com, without a slash"},
		{name: "an origin with a path", flags: []string{"--cors-origins=https://app.example.com/s3cret?s3cret#s3cret"},
			err: "cors_origins: an origin must be https://app.example.com, without a slash or path after it"},
		{name: "an origin without a scheme", flags: []string{"--cors-origins=app.example.com"}, err: "cors_origins: must be a list of origins"},
		{name: "headers", flags: []string{"--cors-headers=sentry-trace,baggage"}},
		{name: "any header", flags: []string{"--cors-headers=*"}, err: "cors_headers: must be a list of header names"},
		{name: "a header with its value", flags: []string{"--cors-headers=x-key: s3cret"}, err: "cors_headers: must be"},
		{name: "an origin with a password", flags: []string{"--cors-origins=https://a:s3cret@app.example.com"}, err: "cors_origins: must be"},
		{name: "an origin's port above 65535", flags: []string{"--cors-origins=https://app.example.com:65536"}, err: "cors_origins: must be"},
		{name: "paging parameters", flags: []string{"--paging-page-param=page[number]", "--paging-per-page-param=$page-size_0.~"}},
		{name: "one parameter for both", flags: []string{"--paging-page-param=page", "--paging-per-page-param=page"},
			err: "paging_page_param and paging_per_page_param must be"},
		{name: "a space in a parameter", flags: []string{"--paging-page-param=page number"}, err: "paging_page_param: must be the name of a query parameter"},
		{name: "an ampersand in a parameter", flags: []string{"--paging-page-param=page&status"}, err: "paging_page_param: must be"},
		{name: "an equals sign in a parameter", flags: []string{"--paging-per-page-param=size="}, err: "paging_per_page_param: must be"},
		{name: "a line feed after a parameter", flags: []string{"--paging-per-page-param=size\n"}, err: "paging_per_page_param: must be"},
		{name: "another alphabet in a parameter", flags: []string{"--paging-page-param=página"}, err: "paging_page_param: must be"},
	}
	// The parameters of spec 4.1 and 4.2.
	for _, name := range strings.Fields("startDate endDate status minAmount maxAmount depositOrigin id pixKey endToEnd endToEndRefund externalCode") {
		tests = append(tests, struct {
			name  string
			flags []string
			err   string
		}{"the filter " + name, []string{"--paging-per-page-param=" + name}, "paging_per_page_param: must be"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := settings.Load(tt.flags, nil)
			switch {
			case tt.err == "" && err != nil:
				t.Error(err)
			case tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)):
				t.Errorf("error %v, want %s…", err, tt.err)
			case err != nil && strings.Contains(err.Error(), "s3cret"):
				t.Errorf("%q shows the value", err)
			}
		})
	}
}
