package egress_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/egress"
	"pixgraph/internal/egress/egresstest"
	"pixgraph/internal/filewatch"
	"pixgraph/internal/memnet"
	"pixgraph/internal/netcause"
)

const (
	password = "operator:s3cret-of-the-proxy"
	far      = "core.example.com:443" // a name that only the proxy can resolve
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, c egress.Config) *egress.Access {
	t.Helper()
	c.Name = "core"
	access, err := egress.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(access.Close)
	return access
}

// newProxy starts a proxy that demands the password, and a server that it can reach.
func newProxy(t *testing.T) (*memnet.Network, *egresstest.Proxy) {
	t.Helper()
	var network memnet.Network
	proxy := egresstest.NewProxy(t, &network)
	proxy.Credentials, proxy.Names[far] = password, strings.TrimPrefix(network.Serve(t, http.NotFoundHandler()), "http://")
	return &network, proxy
}

// TestProxy: a tunnel is made with the credentials of the file as it is at that time; each failure has its cause.
func TestProxy(t *testing.T) {
	tests := []struct {
		name, credentials, address string
		want                       error
	}{
		{"the right credentials", password + "\r\n", far, nil},
		{"others", "operator:wrong", far, netcause.ErrProxyCredentials},
		{"none", "", far, netcause.ErrNoProxyCredentials},
		{"a host that the proxy refuses", password, "other.example.com:443", netcause.ErrProxyRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network, proxy := newProxy(t)
				c := egress.Config{Proxy: proxy.URL, Dialer: network}
				if tt.credentials != "" {
					c.ProxyCredentials = write(t, tt.credentials)
				}
				conn, err := open(t, c).Dial(t.Context(), "tcp", tt.address)
				if !errors.Is(err, tt.want) || err != nil && netcause.Of(err) != tt.want { //nolint:errorlint // a cause wraps nothing
					t.Errorf("error %v, want %v", err, tt.want)
				}
				if err != nil && strings.Contains(err.Error(), "s3cret") {
					t.Errorf("the error has the password: %v", err)
				}
				if conn != nil {
					_ = conn.Close()
				}
				if got := len(proxy.Requests()); got != 1 || (proxy.Tunnels.Load() == 1) != (tt.want == nil) {
					t.Errorf("%d requests, %d tunnels", got, proxy.Tunnels.Load())
				}
			})
		})
	}
}

// TestProxyCredentialsChange: the next connection uses the new content of the file.
func TestProxyCredentialsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network, proxy := newProxy(t)
		path := write(t, "operator:former")
		access := open(t, egress.Config{Proxy: proxy.URL, ProxyCredentials: path, Dialer: network})
		if _, err := access.Dial(t.Context(), "tcp", far); !errors.Is(err, netcause.ErrProxyCredentials) {
			t.Fatalf("error %v", err)
		}
		if err := os.WriteFile(path, []byte(password), 0o600); err != nil {
			t.Fatal(err)
		}
		conn, err := access.Dial(t.Context(), "tcp", far)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	})
}

// TestProxyThatMisbehaves: a proxy that hangs, is gone, is not HTTP, or sends bytes before the server does.
func TestProxyThatMisbehaves(t *testing.T) {
	for name, tt := range map[string]struct {
		sent string
		want error
	}{
		"hangs":                    {"", context.DeadlineExceeded},
		"is gone":                  {"", netcause.ErrNoProxy},
		"not HTTP":                 {"220 ESMTP\r\n\r\n", netcause.ErrNoHTTP},
		"a header that never ends": {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 20_000), netcause.ErrTruncated},
		"bytes after the response": {"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", netcause.ErrProxyRefused},
		"another status with 2xx":  {"HTTP/1.1 204 X\r\n\r\n", netcause.ErrProxyRefused},
		"a gateway error":          {"HTTP/1.1 502 X\r\nContent-Length: 1000000000\r\n\r\n", netcause.ErrProxyGateway},
		"a redirect":               {"HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\n\r\n", netcause.ErrProxyRefused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var network memnet.Network
				listener, err := network.Listen()
				if err != nil {
					t.Fatal(err)
				}
				if name == "is gone" {
					_ = listener.Close()
				}
				go func() {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					defer conn.Close()
					_, _ = io.WriteString(conn, tt.sent)
					_, _ = io.Copy(io.Discard, conn) // until the client closes it
				}()
				access := open(t, egress.Config{Proxy: "http://" + listener.Addr().String(), ConnectTimeout: time.Second, Dialer: &network})
				began := time.Now()
				_, err = (&http.Client{Transport: access}).Get("http://" + far)
				if cause := netcause.Of(err); !errors.Is(cause, tt.want) || time.Since(began) > time.Second {
					t.Errorf("error %v after %s, want %v", err, time.Since(began), tt.want)
				}
			})
		})
	}
}

// TestFilesChange: authorities and client certificates are those of the files as they are now, also for RoundTrip.
func TestFilesChange(t *testing.T) { synctest.Test(t, testFilesChange) }

func testFilesChange(t *testing.T) {
	former, next := certstest.New(t, "former"), certstest.New(t, "next")
	first, second := former.Issue(t, time.Hour*24), next.Issue(t, time.Hour*24)
	var network memnet.Network
	serve := func(ca *certstest.CA, pair certstest.Pair) string {
		return network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].Issuer.CommonName)
		}), func(s *http.Server) {
			s.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			s.TLSConfig = &tls.Config{
				Certificates: []tls.Certificate{pair.TLS(t)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
				NextProtos: []string{"h2"},
			}
		})
	}
	formerURL, nextURL := serve(former, first), serve(next, second)
	dir := t.TempDir()
	cert, key := first.Write(t, dir)
	access := open(t, egress.Config{CA: certstest.Write(t, dir, "ca.crt", former.PEM), ClientCert: cert, ClientKey: key, Dialer: &network})
	get := func(url string) string {
		resp, err := (&http.Client{Transport: access}).Get(url)
		if err != nil {
			return netcause.Of(err).Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	config := access.TLS()
	if got := get(formerURL); got != "former" || access.TLS() != config {
		t.Fatalf("got %q", got)
	}
	if got := get(nextURL); got != netcause.ErrCertificate.Error() {
		t.Fatalf("an unknown authority: %q", got)
	}
	certstest.Write(t, dir, "ca.crt", next.PEM)
	second.Write(t, dir)
	time.Sleep(2 * filewatch.Every)
	if got := get(nextURL); got != "next" || access.TLS() == config {
		t.Fatalf("after the change: %q", got)
	}
	if got := get(formerURL); got != netcause.ErrCertificate.Error() { // the former connection is not used
		t.Fatalf("the former authority: %q", got)
	}
}

// TestOpenErrors: an error names the setting, the path of a file that is no secret, and no password.
func TestOpenErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		config egress.Config
		want   string
	}{
		"no CA file":               {egress.Config{CA: "/a/ca.pem"}, "core_ca: no such file or directory: /a/ca.pem"},
		"a certificate alone":      {egress.Config{ClientCert: "-----BEGIN\ns3cret"}, "core_client_cert: no such file or directory"},
		"no credentials file":      {egress.Config{Proxy: "http://a:1", ProxyCredentials: "/s3cret"}, "core_proxy_credentials: no such file"},
		"credentials without user": {egress.Config{Proxy: "http://a:1", ProxyCredentials: write(t, ":s3cret")}, "user:password"},
		"two lines":                {egress.Config{Proxy: "http://a:1", ProxyCredentials: write(t, "a:s3cret\r\nX: y")}, "user:password"},
		"a proxy with a password":  {egress.Config{Proxy: "http://a:s3cret@a:1"}, "core_proxy: is not the URL"},
		"https to the proxy":       {egress.Config{Proxy: "https://s3cret:1"}, "core_proxy: is not the URL"},
		"a proxy without a port":   {egress.Config{Proxy: "http://s3cret"}, "core_proxy: is not the URL"},
	} {
		tt.config.Name = "core"
		access, err := egress.Open(tt.config)
		if err == nil {
			access.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
