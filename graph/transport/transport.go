// Package transport implements GraphQL over HTTP for one GET or POST request. Its packages are in the order of a
// request:
//
//	message    reads the parameters of the operation
//	accept     chooses the media type of the response
//	run        executes the operation
//	envelope   writes the response, which this package compresses and tags
//	incremental  sends a response in parts, if fragments of it are deferred
//	stream     sends the events of a subscription, over SSE or multipart
//
// A query becomes a file of CSV or JSON lines if Accept names one, with the pages that Config.Download reads. Package
// websocket runs operations of a WebSocket, and package cors answers browsers. SecurityHeaders is for all responses.
//
// It does not know the schema, the callers, or the limits of documents. It does not support batches and
// uploads. Its errors never repeat parts of a request.
//
// Read Transport.Do first, which handles a request.
package transport

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport/accept"
	"pixgraph/graph/transport/incremental"
	"pixgraph/graph/transport/message"
	"pixgraph/graph/transport/run"
	"pixgraph/graph/transport/stream"
)

// DefaultCompressFrom is the smallest response, in bytes, that is compressed: a response that fits a network packet
// of 1,500 bytes with its header does not arrive sooner if it is smaller.
const DefaultCompressFrom = 1400

// Config configures a transport. The zero value is valid.
type Config struct {
	CompressFrom int // the smallest response, in bytes, that is compressed; 0 means the default, negative never

	// Caller identifies the caller of a request, the same for all of its tokens; nil if there are no callers.
	Caller func(context.Context) string

	// Download executes downloads; nil if they are not supported.
	Download Download
}

// Transport implements graphql.Transport for all requests. It rejects methods other than GET, HEAD and POST. A HEAD
// runs its query as a GET does, and gets the header of the response.
type Transport struct {
	runner     *run.Runner
	config     Config
	compressor compressor
}

var _ graphql.Transport = (*Transport)(nil)

// New returns a transport, whose operations the runner executes. It is safe for concurrent use.
func New(runner *run.Runner, config Config) *Transport {
	if config.CompressFrom == 0 {
		config.CompressFrom = DefaultCompressFrom
	}
	if config.Caller == nil {
		config.Caller = func(context.Context) string { return "" }
	}
	return &Transport{runner, config, compressor{from: config.CompressFrom}}
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
	if r.Method == http.MethodHead {
		streaming = nil // neither does it download
	} else if t.config.Download != nil {
		if a.format = formatOf(r.Header["Accept"]); a.format != nil && !acceptable {
			a.media = accept.GraphQL
		}
	}
	if a.format == nil && r.Method != http.MethodHead {
		a.parts = incremental.FormatOf(r.Header["Accept"])
		if a.parts != nil && !acceptable && streaming == nil { // an error is JSON
			a.media = accept.GraphQL
		}
	}
	params, err := t.read(r, acceptable || streaming != nil || a.format != nil || a.parts != nil)
	if err != nil {
		a.refuse(err)
		return
	}
	a.acceptable, a.framing = acceptable, streaming
	var (
		reasons  gqlerror.List
		response *graphql.Response
	)
	ctx := r.Context()
	if a.format != nil {
		ctx = context.WithValue(ctx, downloadKey{}, true)
	}
	a.ctx, reasons, response, err = t.runner.Run(ctx, a, params, exec)
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

// read parses a request into the parameters of an operation.
func (t *Transport) read(r *http.Request, acceptable bool) (*graphql.RawParams, error) {
	var (
		start  = graphql.Now()
		params *graphql.RawParams
		err    error
	)
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodHead:
		err = errMethod
	case !acceptable:
		err = errNotAcceptable
	case r.Method == http.MethodPost:
		params, err = message.ReadPost(r, t.runner.MaxBody, t.runner.Account(r.Context()), t.runner.Turn)
	default:
		params, err = message.ReadURL(r.URL.RawQuery)
	}
	if err != nil {
		return nil, err
	}
	params.Headers = t.runner.ExtensionHeaders(r.Header)
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return params, nil
}
