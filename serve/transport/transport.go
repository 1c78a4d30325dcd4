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
// A query becomes a file of CSV or JSON lines if Accept names one, with the pages that Download reads. Package
// websocket runs operations of a WebSocket, and package cors answers browsers. SetSecurityHeaders is for all responses.
//
// It does not know the schema, the callers, or the limits of documents. It does not support batches and
// uploads. Its errors never repeat parts of a request.
//
// Read Transport.Serve first, which handles a request.
package transport

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/request"
	"pixgraph/serve/accept"
	"pixgraph/serve/incremental"
	"pixgraph/serve/message"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
)

// Transport handles GET, HEAD and POST, and rejects other methods. A HEAD runs its query as a GET does, and gets the
// header of the response.
type Transport struct {
	runner     *run.Runner
	download   Download // nil if downloads are not supported
	compressor compressor
}

// New returns a transport, whose operations the runner executes, and download those of downloads; nil for none. It is
// safe for concurrent use.
func New(runner *run.Runner, download Download) *Transport {
	return &Transport{runner: runner, download: download}
}

// Serve handles the request of a call, which the context carries.
func (t *Transport) Serve(ctx context.Context, call *request.Call, w http.ResponseWriter, r *http.Request) {
	var few accept.Few
	accepted := accept.Read(&few, r.Header["Accept"])
	media, acceptable := accepted.Negotiate()
	a := &responder{transport: t, w: w, r: r, call: call, ctx: ctx, media: media}
	defer a.recoverPanic()

	streaming := stream.FramingOf(accepted)
	if r.Method == http.MethodHead {
		streaming = nil // neither does it download
	} else if t.download != nil {
		if a.format = formatOf(accepted); a.format != nil && !acceptable {
			a.media = accept.GraphQL
		}
	}
	if a.format == nil && r.Method != http.MethodHead {
		a.parts = incremental.FormatOf(accepted)
		if a.parts != nil && !acceptable && streaming == nil { // an error is JSON
			a.media = accept.GraphQL
		}
	}
	params, err := t.read(ctx, call, r, acceptable || streaming != nil || a.format != nil || a.parts != nil)
	if err != nil {
		a.refuse(err)
		return
	}
	a.acceptable, a.framing = acceptable, streaming
	var (
		reasons  gqlerror.List
		response *graphql.Response
	)
	call.File = a.format != nil
	a.ctx, reasons, response, err = t.runner.Run(ctx, call, a, params)
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
func (t *Transport) read(ctx context.Context, call *request.Call, r *http.Request, acceptable bool) (*graphql.RawParams, error) {
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodHead:
		return nil, errMethod
	case !acceptable:
		return nil, errNotAcceptable
	case r.Method == http.MethodPost:
		return message.ReadPost(ctx, call, r, t.runner.MaxBody, t.runner)
	default:
		return message.ReadURL(r.URL.RawQuery)
	}
}
