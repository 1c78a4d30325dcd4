package auth_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

// serveBytes responds to every connection with the same bytes, and returns the address.
func serveBytes(t *testing.T, network *memnet.Network, text string) string {
	t.Helper()
	listener, err := network.Listen()
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return listener.Addr().String()
}

// TestErrorsContainNothingThatAnIssuerSent: nothing that an issuer's port sends is in the error of Inspect or in the
// log.
func TestErrorsContainNothingThatAnIssuerSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		listener, err := network.Listen()
		must(t, err)
		foreign := &httptest.Server{Listener: listener, Config: &http.Server{ErrorLog: log.New(io.Discard, "", 0)}}
		foreign.StartTLS()
		t.Cleanup(foreign.Close)
		iss := newIssuer(t, network)
		iss.Override(issuer.PathDiscovery, body(`{"issuer":"`+iss.URL()+`","jwks_uri":"http://`+serveBytes(t, network, "SSH-2.0-c4nary\r\n")+`/c4nary"}`))
		tests := []struct{ name, issuer, want string }{
			{"SSH", "http://" + serveBytes(t, network, "SSH-2.0-c4nary\r\n"), "discovery: no valid HTTP response"},
			{"SSH under https", "https://" + serveBytes(t, network, "SSH-2.0-c4nary\r\n"), "discovery: the port does not speak TLS"},
			{"a status with a reason phrase", "http://" + serveBytes(t, network, "HTTP/1.1 418 c4nary\r\nContent-Length: 0\r\n\r\n"), "discovery: status 418"},
			{"a header above the limit", "http://" + serveBytes(t, network, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("c4nary", 20_000)+"\r\n\r\n"),
				"discovery: no valid HTTP response"},
			{"an unknown authority", foreign.URL, "discovery: the TLS certificate cannot be verified"},
			{"a truncated document", "http://" + serveBytes(t, network, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"c4nary\":"),
				"discovery: the connection was closed before the response was complete"},
			{"another document", "http://" + serveBytes(t, network, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"c4nary\":"), "discovery: not a discovery document"},
			{"key set on an SSH port", iss.URL(), "keys: no valid HTTP response"},
		}
		for _, tt := range tests {
			var logged bytes.Buffer
			a := newAuth(t, network, iss, func(cfg *auth.Config) {
				cfg.Issuers = []string{tt.issuer}
				cfg.Log = slog.New(slog.NewTextHandler(&logged, nil))
			})
			_, err := a.Inspect(t.Context(), tt.issuer)
			if err == nil || err.Error() != tt.want {
				t.Errorf("%s: Inspect = %v, want %q", tt.name, err, tt.want)
			}
			expect(t, a, iss.Mint(issuer.Grant{Claims: map[string]any{"iss": tt.issuer}}), auth.ReasonUnavailable, tt.name)
			a.Close()
			if got := logged.String(); !strings.Contains(got, tt.want) || strings.Contains(got, "c4nary") {
				t.Errorf("%s: log = %s", tt.name, got)
			}
		}
	})
}

// TestOrigins: the endpoints at which users sign in may have other origins, which the issuer says, whether or not its
// tokens are verified. What is less trustworthy than the issuer is not one.
func TestOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss := newIssuer(t, network)
		document := func(authorize, token string) http.Handler {
			return body(fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q,"authorization_endpoint":%q,"token_endpoint":%q}`,
				iss.URL(), iss.URL()+issuer.PathJWKS, authorize, token))
		}
		for _, tt := range []struct {
			document http.Handler
			want     []string
		}{
			{document(iss.URL()+"/authorize", "https://token.example.com/a"), []string{"https://token.example.com"}},
			{document("https://a.example.com/1", "https://a.example.com/2"), []string{"https://a.example.com"}},
			{document("http://a.example.com", "javascript:alert(1)"), nil},
			{document("https://me@a.example.com", "%"), nil},
			{http.NotFoundHandler(), nil},
		} {
			iss.Override(issuer.PathDiscovery, tt.document)
			forward := func(cfg *auth.Config) { cfg.Mode, cfg.Issuers, cfg.Audiences = auth.ModeForward, nil, nil }
			for _, mode := range []func(*auth.Config){forward, func(*auth.Config) {}} {
				a := newAuth(t, network, iss, mode, func(cfg *auth.Config) { cfg.SignIn = iss.URL() })
				if got := a.Origins(t.Context()); !slices.Equal(got, tt.want) {
					t.Errorf("%v, want %v", got, tt.want)
				}
				a.Close()
			}
		}
		if got := newAuth(t, network, iss).Origins(t.Context()); got != nil {
			t.Errorf("without sign-in: %v", got)
		}
	})
}
