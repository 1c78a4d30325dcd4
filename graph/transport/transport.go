// Package transport is GraphQL over HTTP: it reads an operation from a GET or POST request, has gqlgen's executor run it,
// and writes the answer by the GraphQL over HTTP specification. Beside it stand WriteError, for requests that are
// refused before they get here, and CORS and SecurityHeaders, about other sites' pages in a caller's browser.
//
// It knows nothing of the schema, of callers, or of limits on what a document asks for. It has no subscriptions, no
// @defer, no batches and no uploads. Nothing that a request sent is repeated in an error that is found here.
//
// Read first: Transport.Do, the way of a request from its method to its last byte.
package transport

import (
	"context"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
)

// The defaults of Config.
const (
	// DefaultMaxBody bounds a request's body, in bytes. Documents of 1,000 tokens stay below 20 KiB; the rest is room for
	// variables.
	DefaultMaxBody = 1 << 20
	// DefaultMaxErrors bounds the errors of one answer: a page has at most 100 records, each of which may be broken.
	DefaultMaxErrors = 100
	// DefaultCompressFrom is the size of an answer, in bytes, from which it is compressed: one that fits a network packet
	// of 1,500 bytes with its header is not sent any sooner when it is smaller.
	DefaultCompressFrom = 1400
)

// Config says what is served, and how. Its zero value is good; every 0 stands for the default.
type Config struct {
	MaxBody      int64 // bytes of a POST body
	MaxErrors    int   // errors of an answer; one more says that there were more
	CompressFrom int   // bytes of an answer from which it is compressed; negative for never

	// Headers names the request headers that extensions may read in graphql.OperationContext.Headers. No other header
	// leaves this package, so that no token gets to where operations are logged.
	Headers []string

	// Present makes the public form of an error that is found here, which is always an *apierror.Error. nil for a plain form:
	// message and extensions.code.
	Present func(context.Context, error) *gqlerror.Error

	// Admit takes a place for an operation that has been read, which leave gives back when it has run, before its answer is
	// sent; false where all places are taken, which is a 503. nil for no bound.
	Admit func(context.Context) (leave func(), ok bool)

	// Account is the account of a request's memory; nil for no bound.
	Account func(context.Context) *quota.Account
}

// Transport is gqlgen's graphql.Transport for every request: what is neither a GET nor a POST is refused here too.
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
	return &Transport{config, compressor{from: config.CompressFrom}}, nil
}

// Supports is part of graphql.Transport. A transport for anything else, such as WebSocket, is added before this one.
func (t *Transport) Supports(*http.Request) bool { return true }

// Do is part of graphql.Transport: it answers one request.
func (t *Transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	media, acceptable := negotiate(r.Header["Accept"])
	a := &answer{transport: t, w: w, r: r, media: media}
	defer a.contain(exec)

	params, err := t.read(r, acceptable)
	if err != nil {
		a.refuse(err)
		return
	}
	reasons, response, err := t.run(r, params, exec)
	switch {
	case err != nil:
		a.refuse(err)
	case len(reasons) > 0:
		a.requestErrors(reasons, response)
	default:
		a.result(response)
	}
}

// run has the executor run an operation, in a place of its own. reasons are why it was refused before it was executed; the
// error says that there is no place.
func (t *Transport) run(
	r *http.Request, params *graphql.RawParams, exec graphql.GraphExecutor,
) (reasons gqlerror.List, response *graphql.Response, err error) {
	ctx := r.Context()
	leave, ok := t.config.Admit(ctx)
	if !ok {
		return nil, nil, errOverloaded
	}
	defer leave()
	operation, reasons := exec.CreateOperationContext(ctx, params)
	ctx = graphql.WithOperationContext(ctx, operation)
	if len(reasons) == 0 {
		reasons = checkOperation(r.Method, operation)
	} else {
		reasons = t.quiet(reasons, operation)
	}
	if len(reasons) > 0 {
		return reasons, exec.DispatchError(ctx, reasons), nil
	}
	responses, ctx := exec.DispatchOperation(ctx, operation)
	return nil, responses(ctx), nil
}

// read makes the parameters of an operation out of a request.
func (t *Transport) read(r *http.Request, acceptable bool) (*graphql.RawParams, error) {
	var (
		start = graphql.Now()
		m     members
		err   error
	)
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodGet:
		err = errMethod
	case !acceptable:
		err = errNotAcceptable
	case r.Method == http.MethodPost:
		m, err = readPost(r, t.config.MaxBody, t.config.Account(r.Context()))
	default:
		m, err = readGet(r.URL.RawQuery)
	}
	if err != nil {
		return nil, err
	}
	params, err := m.params()
	if err != nil {
		return nil, err
	}
	for _, name := range t.config.Headers {
		if values := r.Header.Values(name); len(values) > 0 {
			if params.Headers == nil {
				params.Headers = http.Header{}
			}
			params.Headers[http.CanonicalHeaderKey(name)] = values
		}
	}
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return params, nil
}

// present is the default of Config.Present.
func present(_ context.Context, err error) *gqlerror.Error {
	own := apierror.Of(err)
	if own == nil {
		own = errInternal
	}
	return own.Render(nil, "")
}
