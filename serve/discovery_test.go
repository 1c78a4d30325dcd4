package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pixgraph/test/gatewaytest"
)

const wellKnown = "/.well-known/oauth-protected-resource"

// TestDiscovery: a client that knows only the URL of the gateway learns from a 401 where to get a token.
func TestDiscovery(t *testing.T) {
	issuers := []string{"https://issuer.example.com/realms/pix/", "https://other.example.com"}
	for _, tt := range []struct{ public, resource, path, url string }{
		{"https://pay.example.com", "https://pay.example.com/graphql", wellKnown + "/graphql", "https://pay.example.com" + wellKnown + "/graphql"},
		{"https://pay.example.com/", "https://pay.example.com/graphql", wellKnown + "/graphql", "https://pay.example.com" + wellKnown + "/graphql"},
		{"http://127.0.0.1:8080/a/b", "http://127.0.0.1:8080/a/b/graphql", wellKnown + "/a/b/graphql", "http://127.0.0.1:8080" + wellKnown + "/a/b/graphql"},
	} {
		bubble(t, tt.public, func(t *testing.T) {
			g := start(t, func(o *options) { o.Serve.PublicURL, o.Serve.Issuers = tt.public, issuers })
			for _, path := range []string{tt.path, wellKnown + "/graphql"} {
				r := g.Get(path)
				var got map[string]any
				must(t, json.Unmarshal(r.Body, &got))
				want := map[string]any{
					"resource": tt.resource, "authorization_servers": issuers, "scopes_supported": []string{"get_dispatcher"},
					"bearer_methods_supported": []string{"header"}, "resource_name": "Pixgraph",
				}
				if fmt.Sprint(got) != fmt.Sprint(want) || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Access-Control-Allow-Origin") != "*" {
					t.Errorf("%v, %v", got, r.Header)
				}
			}
			for _, authorization := range [][]string{nil, {"Bearer invalid"}} {
				r := g.QueryWith(http.Header{"Authorization": authorization}, "{ __typename }")
				challenge := r.Header.Get("WWW-Authenticate")
				if r.Status != http.StatusUnauthorized || !strings.HasPrefix(challenge, `Bearer realm="pixgraph", `) ||
					!strings.HasSuffix(challenge, `resource_metadata="`+tt.url+`"`) || strings.Contains(challenge, "invalid_token") != (authorization != nil) {
					t.Errorf("%d, %q", r.Status, challenge)
				}
			}
		})
	}
}

// TestDiscoveryByAlias: a client that uses another URL of the gateway discovers the resource at that one.
func TestDiscoveryByAlias(t *testing.T) {
	runWith(t, func(o *options) {
		o.Serve.PublicURL, o.Serve.PublicAliases = "http://127.0.0.1:8080", []string{"http://127.0.0.1:8080", "http://localhost:8080"}
	}, func(t *testing.T, g *gateway) {
		for host, want := range map[string]string{
			"127.0.0.1:8080": "http://127.0.0.1:8080", "localhost:8080": "http://localhost:8080", "evil.example.com": "http://127.0.0.1:8080",
			"8080": "http://127.0.0.1:8080",
		} {
			for path, in := range map[string]string{wellKnown + "/graphql": `"resource":"` + want + `/graphql"`, "/graphql": `resource_metadata="` + want + wellKnown} {
				r := httptest.NewRequest(http.MethodGet, path, nil)
				r.Host = host
				w := httptest.NewRecorder()
				g.Handler.ServeHTTP(w, r)
				if got := w.Body.String() + w.Header().Get("WWW-Authenticate"); !strings.Contains(got, in) {
					t.Errorf("%s %s: %s", host, path, got)
				}
			}
		}
	})
}

// TestDiscoveryFromPages: the pages of every origin may read the metadata, without a token.
func TestDiscoveryFromPages(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.PublicURL = "https://pay.example.com" }, func(t *testing.T, g *gateway) {
		g.Token = ""
		send := func(method, path string, header http.Header) gatewaytest.Response {
			return g.Send(g.request(method, path, ""), header)
		}
		r := send(http.MethodOptions, wellKnown+"/graphql", http.Header{
			"Origin": {"https://inspector.example.com"}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"mcp-protocol-version"},
		})
		if r.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(r.Header.Get("Access-Control-Allow-Headers"), "mcp-protocol-version") {
			t.Errorf("%d, %v", r.Status, r.Header)
		}
		for _, tt := range []struct {
			method, path string
			status       int
		}{
			{http.MethodGet, wellKnown + "/graphql", http.StatusOK}, {http.MethodPost, wellKnown + "/graphql", http.StatusMethodNotAllowed},
			{http.MethodGet, wellKnown, http.StatusNotFound}, {http.MethodGet, wellKnown + "/graphql/", http.StatusNotFound},
			{http.MethodGet, wellKnown + "/mcp", http.StatusNotFound},
		} {
			if r := send(tt.method, tt.path, nil); r.Status != tt.status {
				t.Errorf("%s %s: %d, want %d", tt.method, tt.path, r.Status, tt.status)
			}
		}
	})
}

// TestWithoutPublicURL: a gateway that does not know its URL publishes nothing.
func TestWithoutPublicURL(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		r := g.QueryWith(http.Header{"Authorization": nil}, "{ __typename }")
		if got := r.Header.Get("WWW-Authenticate"); got != `Bearer realm="pixgraph"` || g.Get(wellKnown+"/graphql").Status != http.StatusNotFound {
			t.Errorf("%q", got)
		}
	})
}
