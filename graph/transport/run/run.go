// Package run executes operations for transports: it takes a slot, lets the executor of gqlgen create the operation,
// removes from its errors what they quote of the request, and calls the transport for what differs between protocols.
//
// It does not know how an operation was received, or how its response is written: packages transport and websocket do.
//
// Read Runner.Run first.
package run

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/transport/stream"
	"pixgraph/internal/quota"
)

// The defaults of Config.
const (
	// DefaultMaxBody bounds a request body, in bytes. Documents of 1,000 tokens are below 20 KiB; the rest is for
	// variables.
	DefaultMaxBody = 1 << 20
	// DefaultMaxErrors bounds the errors of a response: a page has at most 100 records, each of which may be invalid.
	DefaultMaxErrors = 100
)

// Config configures a Runner. The zero value is valid: every 0 means the default.
type Config struct {
	MaxBody   int64 // bytes of a POST body, or of a message of a WebSocket
	MaxErrors int   // errors of a response; one more reports that errors were dropped

	// Headers names the request headers that extensions may read in graphql.OperationContext.Headers. Other headers are
	// not passed on, so no token reaches code that logs operations.
	Headers []string

	// Present returns the public form of an error of a transport, which is always an *apierror.Error. nil means a
	// simple form, with message and extensions.code.
	Present stream.Present

	// Admit takes a slot for an operation that was read; leave releases it after execution, before the response is
	// sent. ok is false if no slot is free; the response is then 503. nil means no bound.
	Admit func(context.Context) (leave func(), ok bool)

	// LongTurn takes a turn to parse or to compress a large body of the request of ctx, before its admission or after
	// its execution; end returns it. nil means no turns.
	LongTurn func(ctx context.Context) (end func())

	// Account returns the memory account of a request; nil means no bound.
	Account func(context.Context) *quota.Account

	// Subscribe begins the streams of subscriptions. It is required if the schema has them.
	Subscribe stream.Subscribe

	// Data returns the data to send for a response, and a function that is called when the data has been sent. The
	// context is that of the execution. The transport may append to the data within its capacity. nil means
	// response.Data, without spare capacity.
	Data func(context.Context, *graphql.Response) (data []byte, sent func())
}

// Runner executes operations. It is safe for concurrent use.
type Runner struct{ Config }

// New returns a Runner. Its error reports a negative limit.
func New(config Config) (*Runner, error) {
	if config.MaxBody < 0 || config.MaxErrors < 0 {
		return nil, errors.New("run: a limit is negative")
	}
	if config.MaxBody == 0 {
		config.MaxBody = DefaultMaxBody
	}
	if config.MaxErrors == 0 {
		config.MaxErrors = DefaultMaxErrors
	}
	if config.Present == nil {
		config.Present = present
	}
	if config.Admit == nil {
		config.Admit = func(context.Context) (func(), bool) { return func() {}, true }
	}
	if config.LongTurn == nil {
		config.LongTurn = func(context.Context) func() { return func() {} }
	}
	if config.Account == nil {
		config.Account = func(context.Context) *quota.Account { return nil }
	}
	if config.Data == nil {
		config.Data = func(_ context.Context, response *graphql.Response) ([]byte, func()) {
			return slices.Clip(response.Data), func() {}
		}
	}
	return &Runner{config}, nil
}

// Protocol is how an operation was received, and how it is answered.
type Protocol interface {
	// Check rejects a valid operation that the request cannot run.
	Check(*graphql.OperationContext) *apierror.Error
	// Begin begins the stream of a subscription.
	Begin(context.Context) error
	// Respond executes any other operation, and returns the context of the execution. The response is nil if it was
	// written.
	Respond(context.Context, graphql.GraphExecutor, *graphql.OperationContext) (context.Context, *graphql.Response)
}

// Run executes an operation while holding a slot, and returns the context of the execution. reasons are the errors if
// it was rejected before execution; err reports that no slot is free.
func (r *Runner) Run(
	ctx context.Context, p Protocol, params *graphql.RawParams, exec graphql.GraphExecutor,
) (executed context.Context, reasons gqlerror.List, response *graphql.Response, err error) {
	leave, ok := r.Admit(ctx)
	if !ok {
		return ctx, nil, nil, ErrOverloaded
	}
	defer func() { leave() }()
	operation, reasons := exec.CreateOperationContext(ctx, params)
	ctx = graphql.WithOperationContext(ctx, operation)
	if len(reasons) == 1 {
		// An extension can return one error only, and validation many.
		if list, ok := reasons[0].Err.(gqlerror.List); ok { //nolint:errorlint // a list that is itself the cause
			reasons = list
		}
	}
	if len(reasons) > 0 {
		reasons = r.redact(reasons, operation)
	} else if refused := p.Check(operation); refused != nil {
		reasons = gqlerror.List{refused.Wrap()}
	}
	if len(reasons) > 0 {
		return ctx, reasons, exec.DispatchError(ctx, reasons), nil
	}
	if operation.Operation.Operation == ast.Subscription {
		leave()
		leave = func() {}
		if err := p.Begin(ctx); err != nil {
			reasons = gqlerror.List{asGraphQL(err)}
			return ctx, reasons, exec.DispatchError(ctx, reasons), nil
		}
		return ctx, nil, nil, nil
	}
	executed, response = p.Respond(ctx, exec, operation)
	return executed, nil, response, nil
}

// short is the size of a body that is parsed or compressed without a turn: that takes less than 0.3 ms.
const short = 16 << 10

// Turn takes a turn to parse or to compress a body or a message, if it is large; end returns it.
func (r *Runner) Turn(ctx context.Context, bytes int) (end func()) {
	if bytes <= short {
		return func() {}
	}
	return r.LongTurn(ctx)
}

// asGraphQL converts any error to gqlgen's type.
func asGraphQL(err error) *gqlerror.Error {
	var located *gqlerror.Error
	if errors.As(err, &located) {
		return located
	}
	return gqlerror.Wrap(err)
}

// Dispatch executes an operation, and returns the context of the execution.
func Dispatch(
	ctx context.Context, exec graphql.GraphExecutor, operation *graphql.OperationContext,
) (context.Context, *graphql.Response) {
	responses, ctx := exec.DispatchOperation(ctx, operation)
	return ctx, responses(ctx)
}

// BoundErrors truncates the errors of a response.
func (r *Runner) BoundErrors(ctx context.Context, response *graphql.Response) {
	if limit := r.MaxErrors; len(response.Errors) > limit {
		response.Errors = append(response.Errors[:limit:limit], r.Present(ctx, TooManyErrors(limit)))
	}
}

// ExtensionHeaders returns the headers that extensions may read; nil without any.
func (r *Runner) ExtensionHeaders(header http.Header) http.Header {
	var read http.Header
	for _, name := range r.Headers {
		if values := header.Values(name); len(values) > 0 {
			if read == nil {
				read = http.Header{}
			}
			read[http.CanonicalHeaderKey(name)] = values
		}
	}
	return read
}

// present is the default of Config.Present.
func present(_ context.Context, err error) *gqlerror.Error {
	return cmp.Or(apierror.Of(err), ErrInternal).Render(nil, "")
}

// PresentPanic lets the executor log and mask a panic, as for resolvers.
func PresentPanic(ctx context.Context, exec graphql.GraphExecutor, panicked any) (shown *gqlerror.Error) {
	defer func() {
		if recover() != nil || shown == nil {
			shown = present(ctx, ErrInternal)
		}
	}()
	if presenter, ok := exec.(interface {
		PresentRecoveredError(context.Context, any) error
	}); ok {
		errors.As(presenter.PresentRecoveredError(ctx, panicked), &shown)
	}
	return shown
}
