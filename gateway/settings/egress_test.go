package settings_test

import (
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

// TestEgressSettings: settings of the way to an API that cannot have an effect are errors that name them.
func TestEgressSettings(t *testing.T) {
	const (
		plain  = "--core-url=http://core.test --dispatcher-url=https://dispatcher.test "
		secure = "--core-url=https://core.test --dispatcher-url=https://dispatcher.test "
	)
	for args, want := range map[string]string{
		secure + "--core-ca=a --core-client-cert=b --core-client-key=c --core-proxy=http://proxy:3128 --core-proxy-credentials=d": "",
		plain + "--core-proxy=http://proxy:3128 --dispatcher-ca=a":                                                                "",
		plain + "--core-ca=a":                                 "core_ca and core_client_cert are for https",
		plain + "--core-client-cert=a --core-client-key=b":    "core_ca and core_client_cert are for https",
		secure + "--dispatcher-client-cert=a":                 "dispatcher_client_cert and dispatcher_client_key must both",
		secure + "--auth-client-key=a":                        "auth_client_cert and auth_client_key must both",
		secure + "--core-proxy-credentials=a":                 "core_proxy_credentials needs core_proxy",
		secure + "--core-proxy=http://proxy":                  "core_proxy: must be a URL of the form",
		secure + "--core-proxy=http://proxy:65536":            "core_proxy: must be a URL of the form",
		secure + "--core-proxy=https://proxy:3128":            "core_proxy: must be a URL of the form",
		secure + "--core-proxy=socks5://proxy:3128":           "core_proxy: must be a URL of the form",
		secure + "--core-proxy=http://user:secret@proxy:3128": "core_proxy: must be a URL of the form",
		"--core-ca=a": "core_ca, core_client_cert, core_client_key and core_proxy are for real services",
	} {
		_, err := settings.Load(strings.Fields(args), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
