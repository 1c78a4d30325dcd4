package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/request"
	"pixgraph/upstream"
)

// presenter formats errors for clients. Its output holds nothing that an API sent, and no URL or stack.
type presenter struct {
	log       *slog.Logger
	counts    *counters
	maxErrors int // of a response
}

// present implements graphql.ErrorPresenterFunc. It collects the errors of a response; sortErrors formats those that
// remain.
func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	if graph.ExecutionOf(ctx).Errors.Raise(ctx, err) {
		return nil
	}
	return p.show(ctx, graphql.GetFieldContext(ctx), err)
}

// show formats an error for clients. It accepts every context and error that gqlgen passes, and recovers from its own
// panics: gqlgen also calls the presenter while it recovers from a panic, where a second one would end the process.
func (p presenter) show(ctx context.Context, field *graphql.FieldContext, err error) (shown *gqlerror.Error) {
	id := request.CallOf(ctx).ID
	defer func() {
		if panicked := recover(); panicked != nil {
			shown = apierror.InternalError().Render(nil, id)
			_ = p.recover(ctx, panicked)
		}
	}()
	at := &gqlerror.Error{Path: graphql.GetPath(ctx)}
	var located *gqlerror.Error
	if errors.As(err, &located) {
		at.Path, at.Locations = located.Path, located.Locations
	}
	own := graph.Describe(err)
	switch {
	case own != nil && own.Code == apierror.BadUserInput && own.Input == "" && own.Service == "":
		named := *own
		named.Input = inputPath(field, at)
		named.Message = named.Input + " " + own.Message
		own = &named
	case own != nil:
	case errors.Is(err, context.Canceled) && clientLeft(ctx):
		own = errLeft
	case isIntrospection(field):
		own = graph.ErrIntrospection
	case located != nil && isRequestError(located):
		own = &apierror.Error{Code: apierror.Code(fmt.Sprint(located.Extensions["code"])), Message: located.Message}
	default:
		own = apierror.InternalError()
		own.Err = err
	}
	p.note(ctx, id, own)
	return own.Render(at, id)
}

// errLeft is the error of a field that was not executed because the client has left, so nobody reads it.
var errLeft = &apierror.Error{
	Code: apierror.Unavailable, Message: "the request was canceled", Retryable: true, Err: &upstream.Error{Kind: upstream.KindCanceled},
}

// clientLeft reports whether the operation in ctx was canceled, by its client or with its connection.
func clientLeft(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// note counts and logs the errors that an operator needs to know.
func (p presenter) note(ctx context.Context, id string, e *apierror.Error) {
	switch e.Code {
	case apierror.LimitExceeded, apierror.Overloaded:
		p.counts.limitHit(e.Limit)
	case apierror.RateLimited:
		if e.Service == "" {
			p.counts.limitHit(limitRate)
		}
	case apierror.Internal:
		if errors.Is(e.Err, errPanic) {
			break // logged when it was recovered
		}
		p.log.ErrorContext(ctx, "internal error", "requestId", id, "error", cmp.Or(e.Err, error(e)).Error())
	}
	var failed *upstream.Error
	if errors.As(e.Err, &failed) {
		graph.ExecutionOf(ctx).Failures.Note(failed)
	}
}

// inputPath splits the path of an error in an argument. It returns the path within the arguments, and leaves the
// response path in the error.
func inputPath(field *graphql.FieldContext, shown *gqlerror.Error) string {
	if field == nil {
		return shown.Path.String()
	}
	at := min(len(field.Path()), len(shown.Path))
	input := shown.Path[at:]
	shown.Path = shown.Path[:at]
	return input.String()
}

// Present implements run.Gateway.
func (g *Gateway) Present(ctx context.Context, err error) *gqlerror.Error {
	return g.present.present(ctx, err)
}

// Recover implements run.Gateway.
func (g *Gateway) Recover(ctx context.Context, panicked any) *gqlerror.Error {
	return g.present.present(ctx, g.present.recover(ctx, panicked))
}

// isRequestError reports whether gqlgen or gqlparser found an error in the document or its variables.
func isRequestError(err *gqlerror.Error) bool {
	code, _ := err.Extensions["code"].(string)
	return code == errcode.ParseFailed || code == errcode.ValidationFailed
}

// isIntrospection reports whether a field is __schema or __type. They fail only if introspection is off.
func isIntrospection(field *graphql.FieldContext) bool {
	// The context of a list element has no field.
	return field != nil && field.Field.Field != nil && (field.Field.Name == "__schema" || field.Field.Name == "__type")
}

// errPanic replaces a panic, which was logged when it was recovered.
var errPanic = errors.New("panic")

// recover converts a panic to an error that show masks. It logs only the type of the panic's value, which may hold data
// of an API. Other goroutines of the operation may still run, so the memory of the operation is not pooled.
func (p presenter) recover(ctx context.Context, panicked any) error {
	graph.ExecutionOf(ctx).Abandon()
	p.log.ErrorContext(ctx, "panic", "requestId", request.CallOf(ctx).ID, "type", fmt.Sprintf("%T", panicked), "stack", string(debug.Stack()))
	return errPanic
}

// rejected is the response to an operation that is not executed.
func (p presenter) rejected(ctx context.Context, err error) *graphql.Response {
	return &graphql.Response{Errors: gqlerror.List{p.show(ctx, nil, err)}}
}
