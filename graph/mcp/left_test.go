package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/mcp"
	"pixgraph/graph/transport/run"
)

// executor creates operations, whose execution ends without a response, as gqlgen's does after their client has left.
type executor struct{ graphql.GraphExecutor }

func (executor) CreateOperationContext(context.Context, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Query}}, nil
}

func (executor) DispatchOperation(ctx context.Context, _ *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	return func(context.Context) *graphql.Response { return nil }, ctx
}

// TestClientLeft: a call whose client leaves before its operation is executed is presented as such, not as a bug.
func TestClientLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		schema, err := graph.NewSchema(nil, graph.Features{})
		must(t, err)
		ctx, leave := context.WithCancel(t.Context())
		admitted := 0
		var presented error
		runner, err := run.New(run.Config{
			Admit: func(context.Context) (func(), bool) {
				if admitted++; admitted == 2 { // the operation's
					leave()
				}
				return func() {}, true
			},
			Present: func(_ context.Context, err error) *gqlerror.Error {
				presented = err
				return run.ErrInternal.Wrap()
			},
		})
		must(t, err)
		transport, err := mcp.New(runner, mcp.Config{Schema: schema.Documents, Charge: func(context.Context) error { return nil }})
		must(t, err)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"newest_payments","arguments":{"kind":"deposits"}}}`
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		transport.Do(httptest.NewRecorder(), r, executor{})
		synctest.Wait()
		if !errors.Is(presented, context.Canceled) {
			t.Errorf("presented %v", presented)
		}
	})
}
