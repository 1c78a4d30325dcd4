package transport_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport"
)

// clumsy is an extension with a bug.
type clumsy struct{}

func (clumsy) ExtensionName() string                   { return "Clumsy" }
func (clumsy) Validate(graphql.ExecutableSchema) error { return nil }

func (clumsy) MutateOperationContext(context.Context, *graphql.OperationContext) *gqlerror.Error {
	panic("canary")
}

// TestPanics outside of resolvers are masked, and the connection lives on.
func TestPanics(t *testing.T) {
	e := start(t, transport.Config{}, clumsy{})
	r := e.query(`{ ok }`, "Accept: "+graphqlType)
	r.want(http.StatusInternalServerError, `{"errors":[{"message":"internal error"}]}`)
	r.wantHeader("Content-Type", graphqlType+"; charset=utf-8")
	r.wantHeader("Cache-Control", "no-store")
}

// TestPanicsOfPresenting: when even presenting panics, a fixed error is answered.
func TestPanicsOfPresenting(t *testing.T) {
	e := start(t, transport.Config{Present: func(context.Context, error) *gqlerror.Error { panic("canary") }})
	e.post(`{`).want(http.StatusInternalServerError, `{"errors":[{"message":"internal error"}]}`)
}
