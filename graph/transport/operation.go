package transport

import (
	"context"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/transport/stream"
)

// check implements protocol. It rejects a mutation over GET, and a subscription without a protocol for streams.
func (a *responder) check(operation *graphql.OperationContext) gqlerror.List {
	switch kind := operation.Operation.Operation; {
	case kind == ast.Subscription && a.framing == nil:
		return wrap(errSubscription)
	case kind == ast.Subscription:
		return nil
	case a.r.Method == http.MethodGet && kind != ast.Query:
		return wrap(errQueriesOnly)
	case a.format != nil && a.format.Extension() == "csv" && !a.r.ProtoAtLeast(1, 1):
		return wrap(errTrailer)
	}
	return nil
}

// begin implements protocol: it begins the stream of a subscription.
func (a *responder) begin(ctx context.Context) error {
	config := a.transport.config
	opened, err := stream.Open(ctx, a.framing, config.Subscribe, config.Present)
	if err != nil {
		return err
	}
	a.begun = true
	config.Account(a.r.Context()).Release() // of the request; the memory of the stream is counted apart
	opened.Serve(a.w, a.r)
	return nil
}

// wrap converts an error to gqlgen's type. errors.As finds it in there.
func wrap(err *apierror.Error) gqlerror.List { return gqlerror.List{err.Wrap()} }

// asGraphQL converts any error to gqlgen's type.
func asGraphQL(err error) *gqlerror.Error {
	var located *gqlerror.Error
	if errors.As(err, &located) {
		return located
	}
	return gqlerror.Wrap(err)
}
