// Package run executes operations for transports: it takes a slot, lets the gateway prepare the operation, removes from
// its errors what they quote of the request, and calls the transport for what differs between protocols.
//
// It does not know how an operation was received, or how its response is written: packages transport and websocket do.
//
// Read Runner.Run first.
package run

import (
	"cmp"
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// The defaults of Config.
const (
	// DefaultMaxBody bounds a request body, in bytes. Documents of 1,000 tokens are below 20 KiB; the rest is for
	// variables.
	DefaultMaxBody = 1 << 20
	// DefaultMaxErrors bounds the errors of a response: a page has at most 100 records, each of which may be invalid.
	DefaultMaxErrors = 100
)

// Config configures a Runner. Every 0 means the default.
type Config struct {
	MaxBody   int64 // bytes of a POST body, or of a message of a WebSocket
	MaxErrors int   // errors of a response; one more reports that errors were dropped
}

// Gateway is what all transports need of the gateway: its methods in the order in which a request needs them. The
// contexts carry the call.
type Gateway interface {
	// LongTurn takes a turn to parse or to compress a large body, before the admission of the operation or after its
	// execution. It returns nil if none is free in time: the work is still needed.
	LongTurn(context.Context, *request.Call) *quota.Turn
	// Admit takes a slot and a turn for the operation of a call, which Leave releases before the response is sent. ok
	// is false if no slot is free; the response is then 503.
	Admit(context.Context, *request.Call) (ok bool)
	Leave(*request.Call)
	// Prepare makes the operation of a call, in all steps before its execution. reasons say why it is rejected; the
	// operation then has what is known of it.
	Prepare(context.Context, *request.Call, *graphql.RawParams) (operation *graphql.OperationContext, reasons gqlerror.List)
	// Execute executes a query, and returns the context of its execution. The transport sends the data of the response,
	// may append to it within its capacity, and calls Sent with that context.
	Execute(context.Context, *request.Call, *graphql.OperationContext) (context.Context, *graphql.Response)
	Sent(context.Context)
	// Subscribe begins the stream of a subscription, whose events go to the sink that open returns. Nothing is sent
	// before it has returned.
	Subscribe(context.Context, *request.Call, *graphql.OperationContext, stream.OpenSink) (*live.Stream, error)
	// Reject returns the response to an operation that was rejected before its execution.
	Reject(context.Context, *request.Call, *graphql.OperationContext, gqlerror.List) *graphql.Response
	// Present returns the public form of an error of a transport, which is always an *apierror.Error.
	Present(context.Context, error) *gqlerror.Error
	// Recover logs a panic, and returns the error that clients see.
	Recover(ctx context.Context, panicked any) *gqlerror.Error
}

// Runner executes operations. It is safe for concurrent use.
type Runner struct {
	Gateway
	Config
}

// New returns a Runner. Its error reports a negative limit.
func New(gateway Gateway, config Config) (*Runner, error) {
	if config.MaxBody < 0 || config.MaxErrors < 0 {
		return nil, errors.New("run: a limit is negative")
	}
	config.MaxBody = cmp.Or(config.MaxBody, DefaultMaxBody)
	config.MaxErrors = cmp.Or(config.MaxErrors, DefaultMaxErrors)
	return &Runner{gateway, config}, nil
}

// Protocol is how an operation was received, and how it is answered.
type Protocol interface {
	// Check rejects a valid operation that the request cannot run.
	Check(*graphql.OperationContext) *apierror.Error
	// Begin begins the stream of a subscription.
	Begin(context.Context, *graphql.OperationContext) error
	// Respond executes any other operation, and returns the context of the execution. The response is nil if it was
	// written.
	Respond(context.Context, *graphql.OperationContext) (context.Context, *graphql.Response)
}

// Run executes an operation while holding a slot, and returns the context of the execution. reasons are the errors if
// it was rejected before execution; err reports that no slot is free.
func (r *Runner) Run(
	ctx context.Context, call *request.Call, p Protocol, params *graphql.RawParams,
) (executed context.Context, reasons gqlerror.List, response *graphql.Response, err error) {
	if !r.Admit(ctx, call) {
		return ctx, nil, nil, ErrOverloaded
	}
	defer r.Leave(call)
	operation, reasons := r.Prepare(ctx, call, params)
	ctx = graphql.WithOperationContext(ctx, operation)
	if len(reasons) > 0 {
		reasons = r.redact(reasons, operation)
	} else if refused := p.Check(operation); refused != nil {
		reasons = gqlerror.List{refused.Wrap()}
	}
	if len(reasons) > 0 {
		return ctx, reasons, r.Reject(ctx, call, operation, reasons), nil
	}
	if operation.Operation.Operation == ast.Subscription {
		r.Leave(call)
		if err := p.Begin(ctx, operation); err != nil {
			reasons = gqlerror.List{AsGraphQL(err)}
			return ctx, reasons, r.Reject(ctx, call, operation, reasons), nil
		}
		return ctx, nil, nil, nil
	}
	executed, response = p.Respond(ctx, operation)
	return executed, nil, response, nil
}

// short is the size of a body that is parsed or compressed without a turn: that takes less than 0.3 ms.
const short = 16 << 10

// Turn takes a turn to parse or to compress a body or a message, if it is large; its End returns it, also nil.
func (r *Runner) Turn(ctx context.Context, call *request.Call, bytes int) *quota.Turn {
	if bytes <= short {
		return nil
	}
	return r.LongTurn(ctx, call)
}

// AsGraphQL converts any error to gqlgen's type.
func AsGraphQL(err error) *gqlerror.Error {
	var located *gqlerror.Error
	if errors.As(err, &located) {
		return located
	}
	return gqlerror.Wrap(err)
}

// BoundErrors truncates the errors of a response.
func (r *Runner) BoundErrors(ctx context.Context, response *graphql.Response) {
	if limit := r.MaxErrors; len(response.Errors) > limit {
		response.Errors = append(response.Errors[:limit:limit], r.Present(ctx, TooManyErrors(limit)))
	}
}

// Panicked lets the gateway log a panic, and returns the error that clients see.
func (r *Runner) Panicked(ctx context.Context, panicked any) (shown *gqlerror.Error) {
	defer func() {
		if recover() != nil || shown == nil {
			shown = ErrInternal.Render(nil, "")
		}
	}()
	return r.Recover(ctx, panicked)
}
