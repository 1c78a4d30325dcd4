package graph

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"path"
	"regexp"
	"strings"

	"pixgraph/upstream"
)

// request is what is kept of the inbound header. Id and trace context are what a call carries on to the APIs besides the
// token; nothing else does.
type request struct {
	id, traceParent string
	client          Client
}

// requestKey is the context key of the request.
type requestKey struct{}

var (
	// requestIDForm keeps a client's own request id from carrying anything else into logs and headers.
	requestIDForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	// traceParentForm is the traceparent of W3C Trace Context.
	traceParentForm = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// identifyRequest gives every request an id, the client's own when it sends a proper one, and answers it.
func identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := request{id: r.Header.Get("X-Request-Id"), traceParent: r.Header.Get("Traceparent"), client: clientOf(r.Header)}
		if req.id == "" || !requestIDForm.MatchString(req.id) {
			req.id = newRequestID()
		}
		if req.traceParent != "" && !traceParentForm.MatchString(req.traceParent) {
			req.traceParent = ""
		}
		w.Header().Set("X-Request-Id", req.id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, req)))
	})
}

// newRequestID is an id that no other request has. It need not be secret.
func newRequestID() string {
	var id [16]byte
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	return hex.EncodeToString(id[:])
}

// strictHTTP answers what http.ServeMux and net/http are lenient with. A path that is not clean is not found: the mux would
// redirect, and repeat what was sent. A body in chunks ends its connection: it may have had a Content-Length beside it,
// which net/http hides, and what follows on the connection may be smuggled (RFC 9112, 6.1).
func strictHTTP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		if p := r.URL.Path; p != "/" && p != "" && path.Clean(p) != strings.TrimSuffix(p, "/") {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// RequestID returns the id of the request that ctx belongs to, "" outside of one.
func RequestID(ctx context.Context) string {
	req, _ := ctx.Value(requestKey{}).(request)
	return req.id
}

// traceID is the id of the W3C trace that the request in ctx belongs to, "" where there is none.
func traceID(ctx context.Context) string {
	req, _ := ctx.Value(requestKey{}).(request)
	if req.traceParent == "" {
		return ""
	}
	return req.traceParent[len("00-"):][:32]
}

// UpstreamHeader returns the header that the calls of a request carry: its id and its trace context.
// It is made for upstream.Config.
func UpstreamHeader(ctx context.Context) upstream.Header {
	req, _ := ctx.Value(requestKey{}).(request)
	return upstream.Header{RequestID: req.id, TraceParent: req.traceParent}
}
