package serve

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"regexp"

	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

var (
	// requestIDForm restricts a client's request id, so that it cannot inject other data into logs and headers.
	requestIDForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	// traceParentForm matches the traceparent header of W3C Trace Context.
	traceParentForm = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// identify sets what a request says about itself. The request id is the client's if it is valid; it is sent back in the
// response.
func identify(call *request.Call, w http.ResponseWriter, r *http.Request) {
	call.Writer = w
	call.ID, call.TraceParent, call.Client = r.Header.Get("X-Request-Id"), r.Header.Get("Traceparent"), request.ClientOf(r.Header)
	call.WantsCost, call.WantsTrace = r.Header.Get(limits.HeaderCost) == "1", r.Header.Get(HeaderTrace) == "1"
	if call.ID == "" || !requestIDForm.MatchString(call.ID) {
		call.ID = newRequestID()
	}
	if call.TraceParent != "" && !traceParentForm.MatchString(call.TraceParent) {
		call.TraceParent = ""
	}
	w.Header().Set("X-Request-Id", call.ID)
}

// newRequestID returns a random id. It need not be secret.
func newRequestID() string {
	var id [16]byte
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	return hex.EncodeToString(id[:])
}
