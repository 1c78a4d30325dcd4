package pipeline

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"pixgraph/request"
	"regexp"
	"runtime"
)

var (
	// requestIDForm restricts a client's request id, so that it cannot inject other data into logs and headers.
	requestIDForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	// traceParentForm matches the traceparent header of W3C Trace Context.
	traceParentForm = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// identify creates the call of a request. The request id is the client's if it is valid; it is sent back in the
// response.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		runtime.Gosched() // the client may send requests without a pause
		call := &request.Call{Writer: w, Origin: request.Origin{
			ID: r.Header.Get("X-Request-Id"), TraceParent: r.Header.Get("Traceparent"), Client: request.ClientOf(r.Header),
		}}
		if call.ID == "" || !requestIDForm.MatchString(call.ID) {
			call.ID = newRequestID()
		}
		if call.TraceParent != "" && !traceParentForm.MatchString(call.TraceParent) {
			call.TraceParent = ""
		}
		w.Header().Set("X-Request-Id", call.ID)
		next.ServeHTTP(w, r.WithContext(request.NewContext(r.Context(), call)))
	})
}

// newRequestID returns a random id. It need not be secret.
func newRequestID() string {
	var id [16]byte
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	return hex.EncodeToString(id[:])
}
