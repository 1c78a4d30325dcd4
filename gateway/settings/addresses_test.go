package settings_test

import (
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

func TestAddresses(t *testing.T) {
	long := "unix:/" + strings.Repeat("x", 102)
	for _, address := range []string{":8080", "127.0.0.1:0", "[::1]:8080", "gateway.example:8080", "unix:/run/pixgraph/public.sock", long} {
		if _, err := settings.Load([]string{"--listen=" + address}, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"8080", "/run/pixgraph.sock", "unix:", "unix:run/pixgraph.sock", "unix:@pixgraph", "unix:/a\nb", long + "x"} {
		if _, err := settings.Load([]string{"--listen=" + address}, nil); err == nil || !strings.HasPrefix(err.Error(), "listen: must be an address") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestTLSSettings: a certificate needs its key, and client certificates need TLS.
func TestTLSSettings(t *testing.T) {
	for args, valid := range map[string]bool{
		"--tls-cert=a --tls-key=b": true, "--tls-cert=a --tls-key=b --tls-client-ca=c": true,
		"--tls-cert=a": false, "--tls-key=b": false, "--tls-client-ca=c": false, "--tls-cert=a --tls-client-ca=c": false,
	} {
		if _, err := settings.Load(strings.Fields(args), nil); err == nil != valid {
			t.Errorf("%s: %v", args, err)
		} else if err != nil && !strings.HasPrefix(err.Error(), "tls_cert and tls_key must both be set") {
			t.Errorf("%s: %v", args, err)
		}
	}
}
