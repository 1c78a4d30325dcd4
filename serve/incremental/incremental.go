// Package incremental sends a response with deferred fragments in parts, as multipart/mixed (GraphQL specification,
// draft of incremental delivery). It does not choose which fragments are deferred: package deferral does.
//
// Read FormatOf first, then Response.
package incremental

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzip"

	"pixgraph/graph/execute/deferral"
	"pixgraph/serve/envelope"
	"pixgraph/serve/stream"
)

const (
	boundary   = "graphql"
	partHeader = "\r\ncontent-type: application/json; charset=utf-8\r\n\r\n"
	// partEnd is the delimiter after a part. It is sent with the part, because a client can parse a part only when it
	// has received the delimiter.
	partEnd = "\r\n--" + boundary
)

// Response sends the parts of a response. Its methods return the first error of the connection.
type Response struct {
	*Format
	// Bound truncates the errors of a response.
	Bound func(*graphql.Response)
	// OnBegin is called before the header is written.
	OnBegin func()

	w       http.ResponseWriter
	out     io.Writer // w, or a compressor
	gzipped *gzip.Writer
	err     error
}

// New returns the response to a request in a format.
func New(w http.ResponseWriter, format *Format, gzipped bool) *Response {
	r := &Response{Format: format, w: w, out: w}
	if gzipped {
		// Without a state, it holds no memory between the parts, and sends each write at once.
		r.gzipped, _ = gzip.NewWriterLevel(w, gzip.StatelessCompression) // fails only for an invalid level
		r.out = r.gzipped
	}
	return r
}

// responseKey is the context key of the response.
type responseKey struct{}

// NewContext returns a context with the response, for an operation that may send it in parts.
func NewContext(ctx context.Context, r *Response) context.Context {
	return context.WithValue(ctx, responseKey{}, r)
}

// Of returns the response in ctx; nil if it must be whole.
func Of(ctx context.Context) *Response {
	r, _ := ctx.Value(responseKey{}).(*Response)
	return r
}

// Begin sends the header and the first part.
func (r *Response) Begin(first *graphql.Response, step *deferral.Step) error {
	header := r.w.Header()
	header["Content-Type"] = []string{r.contentType}
	header["Cache-Control"] = []string{"no-store"}
	header["Vary"] = append(header["Vary"], "Accept")
	header["X-Accel-Buffering"] = []string{"no"} // nginx
	header["Incremental"] = []string{"?1"}       // other proxies (RFC 10036)
	if r.gzipped != nil {
		header["Content-Encoding"] = []string{"gzip"}
	}
	r.OnBegin()
	r.w.WriteHeader(http.StatusOK)
	around := envelope.Buffers.Get()
	defer envelope.Buffers.Put(around)
	r.Bound(first)
	around.WriteString("--" + boundary + partHeader)
	e := envelope.New(around, &graphql.Response{Errors: first.Errors, Data: first.Data})
	around.Truncate(len(e.Before))
	r.data(around, first.Data)
	around.WriteByte(',')
	r.pending(around, step)
	around.WriteString(`"hasNext":true}` + partEnd)
	r.write(around.Bytes())
	return r.flush()
}

// WriteOnly writes a response as the only part, for a client that accepts nothing else.
func WriteOnly(w http.ResponseWriter, format *Format, response []byte) {
	end := len(response) - len(`}`)
	envelope.Write(w, []string{format.contentType}, http.StatusOK,
		[]byte("--"+boundary+partHeader), response[:end], []byte(`,"hasNext":false}`+partEnd+"--\r\n"))
}

// Step sends what a step delivers. The last one has the extensions of the response.
func (r *Response) Step(step *deferral.Step, extensions map[string]any) error {
	to := envelope.Buffers.Get()
	defer envelope.Buffers.Put(to)
	to.WriteString(partHeader + `{`)
	if r.Repeated {
		r.fragments(to, step)
	} else {
		r.pending(to, step)
		r.deliveries(to, step)
		r.completed(to, step)
	}
	to.WriteString(`"hasNext":`)
	if !step.Last {
		to.WriteString(`true}` + partEnd)
		r.write(to.Bytes())
		return r.flush()
	}
	to.WriteString(`false`)
	if len(extensions) > 0 {
		to.WriteString(`,"extensions":`)
		if text, err := json.Marshal(extensions); err == nil {
			to.Write(text)
		} else {
			to.WriteString(`{}`)
		}
	}
	to.WriteString(`}` + partEnd + "--\r\n")
	if r.write(to.Bytes()); r.gzipped != nil && r.err == nil {
		r.err = r.gzipped.Close()
	}
	return r.flush()
}

// Break closes the connection, so that a response without its last part does not look like a complete one.
func (r *Response) Break() { stream.Break(r.w) }

// write writes bytes one after the other.
func (r *Response) write(list ...[]byte) {
	for _, bytes := range list {
		if r.err == nil {
			_, r.err = r.out.Write(bytes)
		}
	}
}

// data writes data after what was written to the buffer. Long data is not copied.
func (r *Response) data(to *bytes.Buffer, data []byte) {
	if len(data) < copyLimit {
		to.Write(data)
		return
	}
	r.write(to.Bytes(), data)
	to.Reset()
}

// copyLimit is the size, in bytes, from which a separate write costs less than a copy.
const copyLimit = 16 << 10

func (r *Response) flush() error {
	if r.err == nil {
		r.err = http.NewResponseController(r.w).Flush()
	}
	return r.err
}
