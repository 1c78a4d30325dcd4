package graph

import (
	"context"
	"crypto/rand"
	"net/http"
	"regexp"
)

// request is what a call carries on to the APIs besides the token: nothing else of the inbound header does.
type request struct{ id, traceParent string }

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
		req := request{id: r.Header.Get("X-Request-Id"), traceParent: r.Header.Get("Traceparent")}
		if !requestIDForm.MatchString(req.id) {
			req.id = rand.Text()
		}
		if !traceParentForm.MatchString(req.traceParent) {
			req.traceParent = ""
		}
		w.Header().Set("X-Request-Id", req.id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, req)))
	})
}

// RequestID returns the id of the request that ctx belongs to, "" outside of one.
func RequestID(ctx context.Context) string {
	req, _ := ctx.Value(requestKey{}).(request)
	return req.id
}

// UpstreamHeader returns the header that the calls of a request carry: its id and its trace context.
// It is made for upstream.Config.
func UpstreamHeader(ctx context.Context) http.Header {
	req, ok := ctx.Value(requestKey{}).(request)
	if !ok {
		return nil
	}
	header := http.Header{"X-Request-Id": {req.id}}
	if req.traceParent != "" {
		header.Set("Traceparent", req.traceParent)
	}
	return header
}
