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
	"pixgraph/request"
	"pixgraph/serve/mcp"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
)

// left is a gateway whose client leaves when its operation is admitted, which then ends without a response.
type left struct {
	runtest.Gateway
	admitted  int
	leave     func()
	presented error
}

func (g *left) Admit(context.Context, *request.Call) bool {
	if g.admitted++; g.admitted == 2 { // the operation's
		g.leave()
	}
	return true
}

func (*left) Prepare(context.Context, *request.Call, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Query}}, nil
}

func (*left) Execute(ctx context.Context, _ *request.Call, _ *graphql.OperationContext) (context.Context, *graphql.Response) {
	return ctx, nil
}

func (g *left) Present(_ context.Context, err error) *gqlerror.Error {
	g.presented = err
	return run.ErrInternal.Wrap()
}

// TestClientLeft: a call whose client leaves before its operation is executed is presented as such, not as a bug.
func TestClientLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		schema, err := graph.NewSchema(nil, graph.Features{})
		must(t, err)
		ctx, leave := context.WithCancel(t.Context())
		gateway := &left{leave: leave}
		runner, err := run.New(gateway, run.Config{})
		must(t, err)
		transport, err := mcp.New(runner, mcp.Config{Schema: schema.Schema(), Charge: func(*request.Call) error { return nil }})
		must(t, err)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"newest_payments","arguments":{"kind":"deposits"}}}`
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		transport.Serve(ctx, &request.Call{}, httptest.NewRecorder(), r)
		synctest.Wait()
		if !errors.Is(gateway.presented, context.Canceled) {
			t.Errorf("presented %v", gateway.presented)
		}
	})
}
