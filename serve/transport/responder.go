package transport

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/download"
	"pixgraph/request"
	"pixgraph/serve/accept"
	"pixgraph/serve/envelope"
	"pixgraph/serve/incremental"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
)

// responder writes the response of one request, exactly once.
type responder struct {
	transport *Transport
	w         http.ResponseWriter
	r         *http.Request
	call      *request.Call
	ctx       context.Context // of the execution, or else of the request
	media     accept.Media
	begun     bool // whether the status and the header were written

	acceptable bool                // whether Accept allows media
	framing    stream.Framing      // nil if Accept allows no stream
	parts      *incremental.Format // nil if the response must be whole

	format download.Format // of a download; nil if Accept prefers JSON
}

// refuse responds to a request that is rejected before its operation is created.
func (a *responder) refuse(err error) {
	refused := cmp.Or(apierror.Of(err), run.ErrInternal)
	refused.WriteHeader(a.w.Header())
	a.write(refused.Status, &graphql.Response{Errors: gqlerror.List{a.transport.runner.Present(a.ctx, refused)}})
}

// requestErrors responds to an operation that was rejected before execution. reasons are the original errors; response
// has them as the client sees them.
func (a *responder) requestErrors(reasons gqlerror.List, response *graphql.Response) {
	if response == nil {
		a.refuse(run.ErrInternal)
		return
	}
	response.Data = nil
	a.write(a.refusalStatus(reasons), response)
}

// refusalStatus returns the HTTP status of a response without data, and sets the headers that belong to the status.
func (a *responder) refusalStatus(reasons gqlerror.List) (status int) {
	if own := apierror.Of(reasons); own != nil {
		own.WriteHeader(a.w.Header())
		status = own.Status
	}
	switch {
	case a.format != nil && (status == 0 || status == http.StatusOK):
		return failedDownload(apierror.Of(reasons))
	case status != 0:
		return status
	case a.media == accept.GraphQL:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

// result writes the executor's response.
func (a *responder) result(response *graphql.Response) {
	switch {
	case errors.Is(a.r.Context().Err(), context.Canceled):
		// The client has disconnected, so no response is written.
		a.begun = true
		a.w.WriteHeader(http.StatusServiceUnavailable)
	case response == nil || len(response.Data) == 0 && len(response.Errors) == 0:
		a.refuse(run.ErrInternal)
	case len(response.Data) == 0:
		a.write(a.refusalStatus(response.Errors), response) // a step of the execution rejected it
	default:
		a.write(http.StatusOK, response)
	}
}

// write writes the whole response. It ignores errors of the connection, since the client has disconnected then.
func (a *responder) write(status int, response *graphql.Response) {
	t := a.transport
	t.runner.BoundErrors(a.ctx, response)
	around := envelope.Buffers.Get()
	defer envelope.Buffers.Put(around)
	e := envelope.New(around, response)
	data := response.Data
	defer t.runner.Sent(a.ctx)
	// Errors repeat names of the document, which may be long. An event is copied twice.
	size, single := around.Len(), status == http.StatusOK && !a.acceptable && (a.framing != nil || a.parts != nil)
	if single {
		size += 2 * (len(data) + around.Len())
	}
	account := a.call.Account
	if account.Take(size) != nil {
		a.begun = true
		envelope.WriteError(a.w, a.r, apierror.NoMemory, t.runner.Present(a.ctx, apierror.NoMemory))
		return
	}
	if single {
		a.begun = true
		if whole := slices.Concat(e.Before, data, e.After); a.framing != nil {
			stream.WriteOnly(a.w, a.framing, whole)
		} else {
			incremental.WriteOnly(a.w, a.parts, whole)
		}
		return
	}
	after := e.After
	if a.isTagged(status, response) && a.tag(e.Before, data, after) {
		return
	}
	if cap(data)-len(data) >= len(after) {
		data, after = append(data, after...), nil // one write less
	}
	size = len(e.Before) + len(data) + len(after)
	gzipped := t.compressor.wants(a.r.Header["Accept-Encoding"], size) && account.Take(size) == nil
	a.begun = true
	if !gzipped {
		envelope.Write(a.w, a.media.ContentType(), status, e.Before, data, after)
		return
	}
	out := envelope.Buffers.Get()
	defer envelope.Buffers.Put(out)
	a.compress(out, size, e.Before, data, after)
	a.w.Header()["Content-Encoding"] = gzipEncoding
	envelope.Write(a.w, a.media.ContentType(), status, out.Bytes())
}

// compress is that of the compressor, in a turn if the body is large.
func (a *responder) compress(to *bytes.Buffer, size int, body ...[]byte) {
	defer a.transport.runner.Turn(a.ctx, a.call, size).End()
	a.transport.compressor.compress(to, body...)
}

// recoverPanic recovers from a panic in the transport or behind it, and responds with an error. Package projection
// recovers from panics of resolvers.
func (a *responder) recoverPanic() {
	panicked := recover()
	switch {
	case panicked == nil || a.begun && a.format == nil:
		return
	case a.begun:
		_ = a.transport.runner.Panicked(a.ctx, panicked)
		stream.Break(a.w)
		return
	}
	header := a.w.Header()
	header.Del("Content-Encoding")
	a.begun = true
	envelope.WriteError(a.w, a.r, run.ErrInternal, a.transport.runner.Panicked(a.ctx, panicked))
}
