package settings_test

import (
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

// TestCombinations: valid addresses, URLs, origins, parameters and files are accepted. The error about an invalid
// value, or about settings that do not fit together, begins with their keys.
func TestCombinations(t *testing.T) {
	const core, dispatcher = "--core-url=https://core.example.com/v1", "--dispatcher-url=https://dispatcher.example.com:8443"
	const plain, pair = "--core-url=http://core.test", "tls_cert and tls_key must both be set"
	long := "--listen=unix:/" + strings.Repeat("x", 102)
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
		{name: "an origin with a password", flags: []string{"--cors-origins=https://a:s3cret@app.example.com"}, err: "cors_origins: must be"},
		{name: "an origin's port above 65535", flags: []string{"--cors-origins=https://app.example.com:65536"}, err: "cors_origins: must be"},
		{name: "paging parameters", flags: []string{"--paging-page-param=page[number]", "--paging-per-page-param=$page-size_0.~"}},
		{name: "one parameter for both", flags: []string{"--paging-page-param=page", "--paging-per-page-param=page"},
			err: "paging_page_param and paging_per_page_param must be"},
		{name: "a space in a parameter", flags: []string{"--paging-page-param=page number"}, err: "paging_page_param: must be the name of a query parameter"},
		{name: "an ampersand in a parameter", flags: []string{"--paging-page-param=page&status"}, err: "paging_page_param: must be"},
		{name: "an equals sign in a parameter", flags: []string{"--paging-per-page-param=size="}, err: "paging_per_page_param: must be"},
		{name: "a line feed after a parameter", flags: []string{"--paging-per-page-param=size\n"}, err: "paging_per_page_param: must be"},
		{name: "assistants with the sandbox", flags: []string{"--mcp=on"}},
		{name: "assistants", flags: []string{core, dispatcher, "--mcp=on", "--public-url=https://pay.example.com", "--auth-audience=https://pay.example.com/mcp"}},
		{name: "assistants without a URL", flags: []string{core, dispatcher, "--mcp=on"}, err: "mcp needs public_url"},
		{name: "assistants without an audience",
			flags: []string{core, dispatcher, "--mcp=on", "--public-url=https://pay.example.com"}, err: "mcp needs auth_audience"},
		{name: "assistants with tokens that are not verified",
			flags: []string{core, dispatcher, "--mcp=on", "--public-url=https://pay.example.com", "--auth-mode=forward"}, err: "mcp needs auth_mode=oidc"},
		{name: "personal data for no assistants", flags: []string{"--mcp-personal-data=on"}, err: "mcp_personal_data needs mcp"},
		{name: "another alphabet in a parameter", flags: []string{"--paging-page-param=página"}, err: "paging_page_param: must be"},
	}
	add := func(err string, lines ...string) {
		for _, line := range lines {
			tests = append(tests, struct {
				name  string
				flags []string
				err   string
			}{line, strings.Split(line, " "), err})
		}
	}
	add("", "--listen=:8080", "--listen=127.0.0.1:0", "--listen=[::1]:8080", "--listen=gateway.example:8080",
		"--listen=unix:/run/pixgraph/public.sock", long)
	add("", "--public-url=https://pay.example.com:8443/A/b_~-.c/", "--public-url=http://[::1]:8080")
	add("public_url: must be a URL", `--public-url=https://a"b.example.com`, `--public-url=https://[fe80::1%25"]`, "--public-url=https://<a>",
		"--public-url=https://a/{b}", "--public-url=https://a/../b", "--public-url=https://a//b", "--public-url=https://a/?b",
		"--public-url=https://Pay.example.com", "--public-url=https://pay.example.com:443", "--public-url=https://pay.example.com:08443",
		"--public-url=http://pay.example.com:80/a")
	add("listen: must be an address", "--listen=8080", "--listen=/run/pixgraph.sock", "--listen=unix:", "--listen=unix:run/pixgraph.sock",
		"--listen=unix:@pixgraph", "--listen=unix:/a\nb", long+"x")
	add("", "--tls-cert=a --tls-key=b", "--tls-cert=a --tls-key=b --tls-client-ca=c")
	add(pair, "--tls-cert=a", "--tls-key=b", "--tls-client-ca=c", "--tls-cert=a --tls-client-ca=c")
	real := core + " " + dispatcher + " "
	add("", real+"--core-ca=a --core-client-cert=b --core-client-key=c --core-proxy=http://proxy:3128 --core-proxy-credentials=d",
		plain+" "+dispatcher+" --core-proxy=http://proxy:3128 --dispatcher-ca=a")
	add("core_ca and core_client_cert are for https", plain+" "+dispatcher+" --core-ca=a",
		plain+" "+dispatcher+" --core-client-cert=a --core-client-key=b")
	add("dispatcher_client_cert and dispatcher_client_key must both", real+"--dispatcher-client-cert=a")
	add("auth_client_cert and auth_client_key must both", real+"--auth-client-key=a")
	add("core_proxy_credentials needs core_proxy", real+"--core-proxy-credentials=a")
	add("core_proxy: must be a URL of the form", real+"--core-proxy=http://proxy", real+"--core-proxy=http://proxy:65536",
		real+"--core-proxy=https://proxy:3128", real+"--core-proxy=socks5://proxy:3128", real+"--core-proxy=http://user:s3cret@proxy:3128")
	add("core_ca, core_client_cert, core_client_key and core_proxy are for real services", "--core-ca=a")
	// The parameters of spec 4.1 and 4.2.
	for _, name := range strings.Fields("startDate endDate status minAmount maxAmount depositOrigin id pixKey endToEnd endToEndRefund externalCode") {
		add("paging_per_page_param: must be", "--paging-per-page-param="+name)
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
