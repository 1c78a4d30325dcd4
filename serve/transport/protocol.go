package transport

import (
	"context"
	"math"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/download"
	"pixgraph/serve/incremental"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// Check implements run.Protocol. It rejects a mutation over GET, and a subscription without a protocol for streams.
func (a *responder) Check(operation *graphql.OperationContext) *apierror.Error {
	switch kind := operation.Operation.Operation; {
	case kind == ast.Subscription && a.framing == nil:
		return errSubscription
	case kind == ast.Subscription:
		return nil
	case a.r.Method != http.MethodPost && kind != ast.Query:
		return errQueriesOnly
	}
	if file, csv := a.format.(download.CSV); csv && !file.Ended && !a.r.ProtoAtLeast(1, 1) {
		return errTrailer
	}
	return nil
}

// Begin implements run.Protocol: it begins the stream of a subscription.
func (a *responder) Begin(ctx context.Context, operation *graphql.OperationContext) error {
	runner := a.transport.runner
	opened, err := stream.Open(a.framing, runner.Present, func(open stream.OpenSink) (*live.Stream, error) {
		return runner.Subscribe(ctx, a.call, operation, open)
	})
	if err != nil {
		return err
	}
	a.begun = true
	a.call.Account.Release() // of the request; the memory of the stream is counted apart
	opened.Serve(a.w, a.r)
	return nil
}

// Respond implements run.Protocol: it executes a download, or else lets the executor answer.
func (a *responder) Respond(ctx context.Context, operation *graphql.OperationContext) (context.Context, *graphql.Response) {
	if a.parts != nil && documents.Defers(operation.Operation) {
		ctx = a.inParts(ctx)
	}
	if a.format == nil {
		return a.transport.runner.Execute(ctx, a.call, operation)
	}
	return ctx, a.transport.download(ctx, a.call, operation, &File{responder: a, controller: http.NewResponseController(a.w)})
}

// inParts returns a context for an operation whose response may be sent in parts.
func (a *responder) inParts(ctx context.Context) context.Context {
	const unknown = math.MaxInt // the size of all parts
	response := incremental.New(a.w, a.parts, a.transport.compressor.wants(a.r.Header["Accept-Encoding"], unknown))
	response.Bound = func(part *graphql.Response) { a.transport.runner.BoundErrors(ctx, part) }
	response.OnBegin = func() { a.begun = true }
	return incremental.NewContext(ctx, response)
}
