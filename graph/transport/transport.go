// Package transport implements GraphQL over HTTP: it reads an operation from a GET or POST request, lets gqlgen's
// executor run it, and writes the response by the GraphQL over HTTP specification. It also has WriteError, for requests
// that are rejected earlier, and SecurityHeaders. Package cors is next to it.
//
// A query becomes a file of CSV or JSON lines if Accept names one, with the pages that Config.Download reads.
// Subscriptions are streams over SSE and multipart, or operations of a WebSocket (graphql-transport-ws), which also runs
// queries.
//
// It does not know the schema, the callers, or the limits of documents. It does not support @defer, batches and uploads. Its
// errors never repeat parts of a request.
//
// Read Transport.Do first, which handles a request.
package transport

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/transport/accept"
	"pixgraph/graph/transport/message"
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
	// DefaultCompressFrom is the smallest response, in bytes, that is compressed: a response that fits a network packet
	// of 1,500 bytes with its header does not arrive sooner if it is smaller.
	DefaultCompressFrom = 1400
)

// Config configures a transport. The zero value is valid: every 0 means the default.
type Config struct {
	MaxBody      int64 // bytes of a POST body
	MaxErrors    int   // errors of a response; one more reports that errors were dropped
	CompressFrom int   // the smallest response, in bytes, that is compressed; negative for never

	// Headers names the request headers that extensions may read in graphql.OperationContext.Headers. Other headers are
	// not passed on, so no token reaches code that logs operations.
	Headers []string

	// Present returns the public form of an error of this package, which is always an *apierror.Error. nil means a
	// simple form, with message and extensions.code.
	Present func(context.Context, error) *gqlerror.Error

	// Admit takes a slot for an operation that was read; leave releases it after execution, before the response is
	// sent. ok is false if no slot is free; the response is then 503. nil means no bound.
	Admit func(context.Context) (leave func(), ok bool)

	// Account returns the memory account of a request; nil means no bound.
	Account func(context.Context) *quota.Account

	// Caller identifies the caller of a request, the same for all of its tokens; nil if there are no callers.
	Caller func(context.Context) string

	// Subscribe begins the streams of subscriptions. It is required if the schema has them.
	Subscribe stream.Subscribe

	// Download executes downloads; nil if they are not supported.
	Download Download

	// Data returns the data to send for a response, and a function that is called when the data has been sent. The
	// context is that of the execution. The transport may append to the data within its capacity. nil means
	// response.Data, without spare capacity.
	Data func(context.Context, *graphql.Response) (data []byte, sent func())
}

// Transport implements graphql.Transport for all requests. It rejects methods other than GET and POST.
type Transport struct {
	config     Config
	compressor compressor
}

var _ graphql.Transport = (*Transport)(nil)

// New returns a transport. It is safe for concurrent use.
func New(config Config) (*Transport, error) {
	if config.MaxBody < 0 || config.MaxErrors < 0 {
		return nil, errors.New("transport: a limit is negative")
	}
	if config.MaxBody == 0 {
		config.MaxBody = DefaultMaxBody
	}
	if config.MaxErrors == 0 {
		config.MaxErrors = DefaultMaxErrors
	}
	if config.CompressFrom == 0 {
		config.CompressFrom = DefaultCompressFrom
	}
	if config.Present == nil {
		config.Present = present
	}
	if config.Admit == nil {
		config.Admit = func(context.Context) (func(), bool) { return func() {}, true }
	}
	if config.Account == nil {
		config.Account = func(context.Context) *quota.Account { return nil }
	}
	if config.Caller == nil {
		config.Caller = func(context.Context) string { return "" }
	}
	if config.Data == nil {
		config.Data = func(_ context.Context, response *graphql.Response) ([]byte, func()) {
			return slices.Clip(response.Data), func() {}
		}
	}
	return &Transport{config, compressor{from: config.CompressFrom}}, nil
}

// Supports implements graphql.Transport. A transport for another protocol, such as WebSocket, must be added before this
// one.
func (t *Transport) Supports(*http.Request) bool { return true }

// Do implements graphql.Transport: it handles one request.
func (t *Transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	media, acceptable := accept.Negotiate(r.Header["Accept"])
	a := &responder{transport: t, w: w, r: r, ctx: r.Context(), media: media}
	defer a.recoverPanic(exec)

	streaming := stream.FramingOf(r.Header["Accept"])
	if t.config.Download != nil {
		if a.format = formatOf(r.Header["Accept"]); a.format != nil && !acceptable {
			a.media = accept.GraphQL
		}
	}
	params, err := t.read(r, acceptable || streaming != nil || a.format != nil)
	if err != nil {
		a.refuse(err)
		return
	}
	a.acceptable, a.framing = acceptable, streaming
	var (
		reasons  gqlerror.List
		response *graphql.Response
	)
	a.ctx, reasons, response, err = t.run(r.Context(), a, params, exec)
	switch {
	case a.begun:
	case err != nil:
		a.refuse(err)
	case len(reasons) > 0:
		a.requestErrors(reasons, response)
	default:
		a.result(response)
	}
}

// protocol is how an operation was received, and how a stream for it is sent.
type protocol interface {
	// check rejects a valid operation that the request cannot run.
	check(*graphql.OperationContext) gqlerror.List
	// begin begins the stream of a subscription.
	begin(context.Context) error
	// respond executes any other operation, and returns the context of the execution. The response is nil if it was
	// written.
	respond(context.Context, graphql.GraphExecutor, *graphql.OperationContext) (context.Context, *graphql.Response)
}

// run executes an operation while holding a slot, and returns the context of the execution. reasons are the errors if it
// was rejected before execution; err reports that no slot is free.
func (t *Transport) run(
	ctx context.Context, p protocol, params *graphql.RawParams, exec graphql.GraphExecutor,
) (executed context.Context, reasons gqlerror.List, response *graphql.Response, err error) {
	leave, ok := t.config.Admit(ctx)
	if !ok {
		return ctx, nil, nil, errOverloaded
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
	if len(reasons) == 0 {
		reasons = p.check(operation)
	} else {
		reasons = t.redact(reasons, operation)
	}
	if len(reasons) > 0 {
		return ctx, reasons, exec.DispatchError(ctx, reasons), nil
	}
	if operation.Operation.Operation == ast.Subscription {
		leave()
		leave = func() {}
		if err := p.begin(ctx); err != nil {
			reasons = gqlerror.List{asGraphQL(err)}
			return ctx, reasons, exec.DispatchError(ctx, reasons), nil
		}
		return ctx, nil, nil, nil
	}
	executed, response = p.respond(ctx, exec, operation)
	return executed, nil, response, nil
}

// read parses a request into the parameters of an operation.
func (t *Transport) read(r *http.Request, acceptable bool) (*graphql.RawParams, error) {
	var (
		start  = graphql.Now()
		params *graphql.RawParams
		err    error
	)
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodGet:
		err = errMethod
	case !acceptable:
		err = errNotAcceptable
	case r.Method == http.MethodPost:
		params, err = message.ReadPost(r, t.config.MaxBody, t.config.Account(r.Context()))
	default:
		params, err = message.ReadURL(r.URL.RawQuery)
	}
	if err != nil {
		return nil, err
	}
	params.Headers = t.extensionHeaders(r.Header)
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return params, nil
}

// extensionHeaders returns the headers that extensions may read; nil without any.
func (t *Transport) extensionHeaders(header http.Header) http.Header {
	var read http.Header
	for _, name := range t.config.Headers {
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
	own := apierror.Of(err)
	if own == nil {
		own = errInternal
	}
	return own.Render(nil, "")
}
