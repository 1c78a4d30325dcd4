package pipeline

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"regexp"

	"pixgraph/graph"
)

var (
	// requestIDForm keeps a client's own request id from carrying anything else into logs and headers.
	requestIDForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	// traceParentForm is the traceparent of W3C Trace Context.
	traceParentForm = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// identify makes the state of a request: with an id, the client's own when it sends a proper one, which is answered.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := &graph.Request{ID: r.Header.Get("X-Request-Id"), TraceParent: r.Header.Get("Traceparent"), Client: graph.ClientOf(r.Header)}
		if req.ID == "" || !requestIDForm.MatchString(req.ID) {
			req.ID = newRequestID()
		}
		if req.TraceParent != "" && !traceParentForm.MatchString(req.TraceParent) {
			req.TraceParent = ""
		}
		w.Header().Set("X-Request-Id", req.ID)
		next.ServeHTTP(w, r.WithContext(graph.NewContext(r.Context(), req)))
	})
}

// newRequestID is an id that no other request has. It need not be secret.
func newRequestID() string {
	var id [16]byte
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	return hex.EncodeToString(id[:])
}
