package transport_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	stock "github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/transport"
	"pixgraph/graph/transport/cors"
)

// sink is a response writer that counts bytes.
type sink struct {
	header http.Header
	bytes  int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(p []byte) (int, error) { s.bytes += len(p); return len(p), nil }

// BenchmarkPost measures a POST without the network: parsing and validation are cached, and execution only copies the
// response.
func BenchmarkPost(b *testing.B) {
	gateway, err := transport.New(transport.Config{})
	if err != nil {
		b.Fatal(err)
	}
	allowed, err := cors.New(cors.Config{})
	if err != nil {
		b.Fatal(err)
	}
	bare := func(next http.Handler) http.Handler { return next }
	protect := func(next http.Handler) http.Handler { return transport.SecurityHeaders(allowed.Handler(next)) }
	const small, big = `{"query":"query Q($b: Boolean!) { ok @include(if: $b) }","variables":{"b":true}}`, `{"query":"{ big }"}`
	for _, bm := range []struct {
		name      string
		transport graphql.Transport
		around    func(http.Handler) http.Handler
		body      string
		encoding  string
	}{
		{"small", gateway, bare, small, ""},
		{"small/CORS", gateway, protect, small, ""},
		{"small/gqlgen", stock.POST{}, bare, small, ""},
		{"300KB", gateway, bare, big, ""},
		{"300KB/gqlgen", stock.POST{}, bare, big, ""},
		{"300KB/gzip", gateway, bare, big, "gzip"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			server := handler.New(newSchema(b))
			server.AddTransport(bm.transport)
			server.SetQueryCache(lru.New[*ast.QueryDocument](10))
			h := bm.around(server)
			out := &sink{}
			for b.Loop() {
				req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(bm.body))
				req.Header["Content-Type"] = []string{"application/json"}
				if bm.encoding != "" {
					req.Header["Accept-Encoding"] = []string{bm.encoding}
				}
				out.header, out.bytes = http.Header{}, 0
				h.ServeHTTP(out, req)
			}
			b.ReportMetric(float64(out.bytes), "bytes/response")
		})
	}
}
