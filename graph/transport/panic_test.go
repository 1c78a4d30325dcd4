package transport_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport"
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
	e := start(t, transport.Config{}, panicking{})
	r := e.query(`{ ok }`, "Accept: "+graphqlType)
	r.wantBody(http.StatusInternalServerError, `{"errors":[{"message":"internal error"}]}`)
	r.wantHeader("Content-Type", graphqlType+"; charset=utf-8")
	r.wantHeader("Cache-Control", "no-store")
}

// TestPanicOfPresent: if Present panics, the response is a fixed error.
func TestPanicOfPresent(t *testing.T) {
	e := start(t, transport.Config{Present: func(context.Context, error) *gqlerror.Error { panic("canary") }})
	e.post(`{`).wantBody(http.StatusInternalServerError, `{"errors":[{"message":"internal error"}]}`)
}
