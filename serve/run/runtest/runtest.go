// Package runtest has a gateway for tests of transports, whose operations gqlgen's executor prepares and executes. It
// has no callers, slots or turns, and shows errors in a simple form. A test replaces the methods that it is about.
//
// It is for tests only. Read first: Gateway.
package runtest

import (
	"cmp"
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// Gateway implements run.Gateway.
type Gateway struct{ *executor.Executor }

var _ run.Gateway = Gateway{}

// New returns a gateway for a schema. Extensions of the executor are called as in a server of gqlgen.
func New(schema graphql.ExecutableSchema, extensions ...graphql.HandlerExtension) Gateway {
	g := Gateway{executor.New(schema)}
	g.Use(extension.Introspection{})
	for _, e := range extensions {
		g.Use(e)
	}
	g.SetRecoverFunc(func(context.Context, any) error { return errors.New("internal error") })
	return g
}

// Admit implements run.Gateway.
func (Gateway) Admit(context.Context, *request.Call) bool { return true }

// Leave implements run.Gateway.
func (Gateway) Leave(*request.Call) {}

// LongTurn implements run.Gateway.
func (Gateway) LongTurn(context.Context, *request.Call) *quota.Turn { return nil }

// Prepare implements run.Gateway.
func (g Gateway) Prepare(ctx context.Context, _ *request.Call, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return g.CreateOperationContext(graphql.StartOperationTrace(ctx), params)
}

// Execute implements run.Gateway.
func (g Gateway) Execute(ctx context.Context, _ *request.Call, operation *graphql.OperationContext) (context.Context, *graphql.Response) {
	responses, ctx := g.DispatchOperation(ctx, operation)
	return ctx, responses(ctx)
}

// Sent implements run.Gateway.
func (Gateway) Sent(context.Context) {}

// Reject implements run.Gateway.
func (g Gateway) Reject(
	ctx context.Context, _ *request.Call, operation *graphql.OperationContext, reasons gqlerror.List,
) *graphql.Response {
	return g.DispatchError(graphql.WithOperationContext(ctx, operation), reasons)
}

// Subscribe implements run.Gateway.
func (Gateway) Subscribe(context.Context, *request.Call, *graphql.OperationContext, stream.OpenSink) (*live.Stream, error) {
	return nil, run.ErrInternal
}

// Present implements run.Gateway.
func (Gateway) Present(_ context.Context, err error) *gqlerror.Error {
	return cmp.Or(apierror.Of(err), run.ErrInternal).Render(nil, "")
}

// Recover implements run.Gateway.
func (g Gateway) Recover(ctx context.Context, panicked any) *gqlerror.Error {
	var shown *gqlerror.Error
	errors.As(g.PresentRecoveredError(ctx, panicked), &shown)
	return shown
}
