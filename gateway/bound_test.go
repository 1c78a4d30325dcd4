package gateway_test

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"pixgraph/internal/certs/certstest"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/gatewaytest"
)

// bearerOf is a client with a certificate, and a way to send its token.
type bearerOf struct {
	gatewaytest.Client
	config func(*tls.Config)
}

// TestBoundTokens: a token that is bound to a certificate is accepted with it, in each way in. A stolen one is refused
// with another certificate of the same CA, also after its owner has used it, and causes no calls. A token that is bound
// to a key is refused.
func TestBoundTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := certstest.New(t, "clients")
		s := startSecured(t, "--tls-client-ca="+certstest.Write(t, t.TempDir(), "ca.crt", ca.PEM),
			"--public-url=https://pay.example.com", "--mcp=on")
		var clients []bearerOf
		for range 2 {
			pair := ca.Issue(t, time.Hour*24, "client").TLS(t)
			config := func(c *tls.Config) { c.Certificates = []tls.Certificate{pair} }
			clients = append(clients, bearerOf{s.as(s.client(t, len(clients) == 0, config)), config})
			if len(clients) == 1 {
				sum := sha256.Sum256(pair.Leaf.Raw)
				s.Token = s.box.Issuer().Mint(issuer.Grant{Scopes: []string{issuer.ScopeDispatcher}, Claims: map[string]any{
					"cnf": map[string]any{"x5t#S256": base64.RawURLEncoding.EncodeToString(sum[:])},
				}})
			}
		}
		owner, thief := clients[0], clients[1]
		owner.Token, thief.Token = s.Token, s.Token
		id := s.box.Ledger().Deposits()[0].ID
		ways := map[string]func(bearerOf) string{
			"POST": func(c bearerOf) string { return first(c.Query("{ deposits { totalCount } }")) },
			"GET": func(c bearerOf) string {
				request := s.Request(http.MethodGet, "/graphql?query={deposits{totalCount}}", "")
				request.Header.Set("Apollo-Require-Preflight", "1")
				return first(c.Send(request, nil))
			},
			"SSE": func(c bearerOf) string {
				resp := c.OpenAs(c.Token, acceptSSE, fmt.Sprintf("subscription { transaction(id: %q) { id } }", id))
				defer resp.Body.Close()
				return challenge(resp.StatusCode, resp.Header)
			},
			"download": func(c bearerOf) string {
				return first(c.QueryWith(http.Header{"Accept": {"text/csv"}}, "{ deposits(first: 5) { nodes { id } } }"))
			},
			"assistants": func(c bearerOf) string {
				request := s.Request(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
				request.Header.Set("Accept", "application/json, text/event-stream")
				return first(c.Send(request, nil))
			},
			"connection_init":         func(c bearerOf) string { return s.socket(c, nil, c.Token) },
			"WebSocket Authorization": func(c bearerOf) string { return s.socket(c, http.Header{"Authorization": {"Bearer " + c.Token}}, "") },
		}
		const stolen = "token bound to a client certificate that this connection does not have"
		for name, way := range ways {
			for range 2 {
				if got := way(owner); got != "accepted" {
					t.Errorf("%s with the certificate: %s", name, got)
				}
				synctest.Wait() // a stream that has ended may be reading
				calls := len(s.box.Calls())
				if got := way(thief); !strings.Contains(got, stolen) {
					t.Errorf("%s with another certificate: %s", name, got)
				}
				synctest.Wait()
				if got := len(s.box.Calls()); got != calls {
					t.Errorf("%s with another certificate made %d calls", name, got-calls)
				}
			}
			keyed := owner
			keyed.Token = s.box.Issuer().Mint(issuer.Grant{Claims: map[string]any{"cnf": map[string]any{"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}}})
			if got := way(keyed); !strings.Contains(got, "DPoP") {
				t.Errorf("%s with a token for DPoP: %s", name, got)
			}
		}
		for _, path := range []string{"/graphql", "/mcp"} {
			var metadata map[string]any
			if err := json.Unmarshal(owner.Get("/.well-known/oauth-protected-resource"+path).Body, &metadata); err != nil {
				t.Fatal(err)
			}
			if metadata["tls_client_certificate_bound_access_tokens"] != true || metadata["dpop_signing_alg_values_supported"] != nil {
				t.Errorf("the metadata of %s is %v", path, metadata)
			}
		}
	})
}

// first says whether a request was accepted, or the challenge of its response.
func first(r gatewaytest.Response) string { return challenge(r.Status, r.Header) }

func challenge(status int, header http.Header) string {
	if status == http.StatusOK {
		return "accepted"
	}
	return fmt.Sprint(status, header["Www-Authenticate"])
}

// socket opens a WebSocket with the headers, and sends the token in its first message if it is not empty.
func (s *secured) socket(c bearerOf, header http.Header, token string) string {
	s.t.Helper()
	config := &tls.Config{RootCAs: s.ca.Pool(), ServerName: "127.0.0.1"}
	c.config(config)
	conn := s.Socket(ws.Dialer{TLSConfig: config, Header: ws.HandshakeHeaderHTTP(header)})
	defer conn.Close()
	payload := "{}"
	if token != "" {
		payload = fmt.Sprintf(`{"authorization":"Bearer %s"}`, token)
	}
	if err := wsutil.WriteClientText(conn, []byte(`{"type":"connection_init","payload":`+payload+`}`)); err != nil {
		s.t.Fatal(err)
	}
	got, err := wsutil.ReadServerText(conn)
	if strings.Contains(string(got), "connection_ack") {
		return "accepted"
	}
	return fmt.Sprint(string(got), err)
}
