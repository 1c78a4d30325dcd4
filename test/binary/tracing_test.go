package binary

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
)

// TestNoProxyOfTheEnvironment: spans reach a collector directly, with http and with https, which takes its certificates
// from OpenTelemetry's variables. A proxy of the environment gets no request.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	const host = "0.0.0.0" // this machine, but not one of the addresses for which net/http uses no proxy
	notShort(t)
	proxied := make(chan string, 100)
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { proxied <- r.Method + " " + r.Host }))
	t.Cleanup(proxy.Close)
	ca, dir := certstest.New(t, "the authority"), t.TempDir()
	cert, key := ca.Issue(t, 24*time.Hour).Write(t, dir)
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			shown := make(chan bool, 100) // of each request, whether the client has a certificate
			collector := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				shown <- r.TLS != nil && len(r.TLS.PeerCertificates) > 0
			}))
			t.Cleanup(collector.Close)
			_, port, _ := net.SplitHostPort(collector.Listener.Addr().String())
			env := []string{
				"HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL, "http_proxy=" + proxy.URL, "https_proxy=" + proxy.URL, "NO_PROXY=", "no_proxy=",
				"OTEL_EXPORTER_OTLP_ENDPOINT=" + scheme + "://" + host + ":" + port, "OTEL_BSP_SCHEDULE_DELAY=1",
			}
			if scheme == "https" {
				env = append(env, "OTEL_EXPORTER_OTLP_CERTIFICATE="+certstest.Write(t, dir, "ca.crt", ca.PEM),
					"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE="+cert, "OTEL_EXPORTER_OTLP_CLIENT_KEY="+key)
				collector.TLS = &tls.Config{
					Certificates: []tls.Certificate{ca.Issue(t, 24*time.Hour, host).TLS(t)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
				}
				collector.StartTLS()
			} else {
				collector.Start()
			}
			gateway := start(t, env, "--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0")
			gateway.client(t, "").Get("/")
			select {
			case request := <-proxied:
				t.Errorf("the proxy got %s", request)
			case certified := <-shown:
				if certified != (scheme == "https") {
					t.Errorf("the collector got spans, and the client's certificate: %t", certified)
				}
			}
			gateway.stop(t)
		})
	}
}
