package binary

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"pixgraph/test/gatewaytest"
)

// TestProxyOfTheEnvironment: neither calls to the APIs nor fetches of keys use a proxy of the environment.
func TestProxyOfTheEnvironment(t *testing.T) {
	notShort(t)
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the proxy got %s", r.URL) }))
	defer proxy.Close()
	cmd := exec.CommandContext(t.Context(), binary, "doctor", "--core-url=http://core.invalid", "--dispatcher-url=http://dispatcher.invalid",
		"--auth-issuer=https://issuer.invalid", "--auth-audience=a", "--upstream-timeout=1s")
	cmd.Env = append(withoutSettings(), "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "ALL_PROXY="+proxy.URL)
	out, err := cmd.Output()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Count(string(out), "cannot be resolved") < 6 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// collector is a trace collector for OTLP over HTTP, which stores what it receives.
type collector struct {
	mu   sync.Mutex
	sent bytes.Buffer
	fail bool
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = c.sent.ReadFrom(r.Body)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// TestCollector: OpenTelemetry's standard variables are sufficient, and the remaining spans are sent at the
// end of the process.
func TestCollector(t *testing.T) {
	notShort(t)
	tests := []struct {
		name string
		env  string // in addition to the endpoint
		fail bool
		says []string // substrings of what the collector receives
	}{
		{"only the endpoint", "", false, []string{"pixgraph", "query Page", "GET /deposit", "pixgraph.live"}},
		{"with a name", "OTEL_SERVICE_NAME=gateway-of-the-test", false, []string{"gateway-of-the-test"}},
		{"turned off", "OTEL_SDK_DISABLED=true", false, nil},
		{"another exporter", "OTEL_TRACES_EXPORTER=none", false, nil},
		{"a collector that refuses", "", true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			collects := &collector{fail: tt.fail}
			server := httptest.NewServer(collects)
			t.Cleanup(server.Close)
			box := gatewaytest.NewSandbox(t)
			s := start(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, tt.env},
				gatewaytest.Flags(box, "--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0", "--shutdown-delay=0s")...)
			client := s.client(t, box.Token())
			client.QueryWith(http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}, "query Page { deposits { totalCount } }")
			client.FirstEventAs(box.Token(), "subscription { deposits { totalCount } }", nil)
			s.stop(t)
			collects.mu.Lock()
			defer collects.mu.Unlock()
			if tt.says == nil && collects.sent.Len() > 0 {
				t.Errorf("%d bytes were sent", collects.sent.Len())
			}
			for _, text := range tt.says {
				if !strings.Contains(collects.sent.String(), text) {
					t.Errorf("%q was not sent", text)
				}
			}
		})
	}
}
