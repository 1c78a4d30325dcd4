package transport_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/execute/download"
	"pixgraph/internal/memnet"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
	"pixgraph/serve/transport"
)

// panicking is an extension that panics.
type panicking struct{}

func (panicking) ExtensionName() string                   { return "Panicking" }
func (panicking) Validate(graphql.ExecutableSchema) error { return nil }

func (panicking) MutateOperationContext(context.Context, *graphql.OperationContext) *gqlerror.Error {
	panic("canary")
}

// TestPanics: panics outside of resolvers are masked.
func TestPanics(t *testing.T) {
	e := start(t, run.Config{}, panicking{})
	r := e.query(`{ ok }`, "Accept: "+graphqlType)
	r.wantBody(http.StatusInternalServerError, `{"errors":[{"message":"internal error"}]}`)
	r.wantHeader("Content-Type", graphqlType+"; charset=utf-8")
	r.wantHeader("Cache-Control", "no-store")
}

// TestPanicOfPresent: if Present panics, the response is a fixed error.
func TestPanicOfPresent(t *testing.T) {
	gateway := presenting{runtest.New(newSchema(t)), func(error) *gqlerror.Error { panic("canary") }}
	e := serve(t, handlerOf(t, gateway, run.Config{}, nil))
	e.post(`{`).wantBody(http.StatusInternalServerError, `{"errors":[{"message":"internal error"}]}`)
}

// TestPanicInDownload: a panic after the first bytes of a file breaks the connection, or resets the stream of HTTP/2,
// so that the file does not look complete.
func TestPanicInDownload(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { // net/http limits how long a client may take to begin HTTP/2
			var network memnet.Network
			listener, err := network.Listen()
			must(t, err)
			handler := newHandler(t, run.Config{}, func(
				_ context.Context, _ *request.Call, _ *graphql.OperationContext, file *transport.File,
			) *graphql.Response {
				file.Begin(&download.Table{Name: "x"}, nil)
				_ = file.Flush()
				panic("canary")
			})
			server := &httptest.Server{Listener: listener, EnableHTTP2: http2, Config: &http.Server{Handler: handler}}
			server.StartTLS()
			t.Cleanup(server.Close)
			server.Client().Transport.(*http.Transport).DialContext = network.DialContext
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(`{"query":"{ ok }"}`))
			must(t, err)
			req.Header = http.Header{"Content-Type": {jsonType}, "Accept": {"application/x-ndjson"}}
			resp, err := server.Client().Do(req)
			must(t, err)
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err == nil || resp.StatusCode != http.StatusOK || resp.ProtoAtLeast(2, 0) != http2 {
				t.Errorf("%s: status %d, %v", resp.Proto, resp.StatusCode, err)
			}
		})
	}
}
