package telemetry

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/egress/egresstest"
)

// TestNoProxyOfTheEnvironment: spans reach a collector directly, with http and with https, which takes its certificates
// from OpenTelemetry's variables. A proxy of the environment gets no request.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	const own, host = "PIXGRAPH_TEST_PROCESS", "collector.pixgraph.test"
	if os.Getenv(own) == "" { // net/http reads the variables once in a process, and ignores them for loopback addresses
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), own+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	egresstest.NewDNS(t).Set(host+".", "127.0.0.1")
	proxy := egresstest.NewProxy(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			shown := make(chan bool, 10) // of each request, whether the client has a certificate
			collector := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				shown <- r.TLS != nil && len(r.TLS.PeerCertificates) > 0
				w.Header().Set("Content-Type", "application/x-protobuf")
			}))
			t.Cleanup(collector.Close)
			if scheme == "https" {
				ca, dir := certstest.New(t, "the authority"), t.TempDir()
				cert, key := ca.Issue(t, 24*time.Hour).Write(t, dir)
				t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", certstest.Write(t, dir, "ca.crt", ca.PEM))
				t.Setenv("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", cert)
				t.Setenv("OTEL_EXPORTER_OTLP_CLIENT_KEY", key)
				collector.TLS = &tls.Config{
					Certificates: []tls.Certificate{ca.Issue(t, 24*time.Hour, host).TLS(t)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
				}
				collector.StartTLS()
			} else {
				collector.Start()
			}
			_, port, err := net.SplitHostPort(collector.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", scheme+"://"+host+":"+port)
			m := New()
			tracing, err := OpenTracing(t.Context(), os.Environ(), m)
			if err != nil {
				t.Fatal(err)
			}
			_, span := tracing.tracer.Start(t.Context(), "span")
			span.End()
			if err := tracing.Close(t.Context()); err != nil {
				t.Error(err)
			}
			wantSpans(t, m, 1, 0, 0)
			if len(shown) != 1 || <-shown != (scheme == "https") {
				t.Errorf("the collector got %d more requests, or one without the certificate", len(shown))
			}
			if got := proxy.Requests(); len(got) != 0 {
				t.Errorf("the proxy got %s %s", got[len(got)-1].Method, got[len(got)-1].Host)
			}
		})
	}
}
