package serve

import (
	"net/http"
	"strconv"
	"time"

	"pixgraph/graph/apierror"
	"pixgraph/request"
)

// HeaderTimeout is the request header with which a client sets a shorter timeout than Config.OperationTimeout for an
// operation, in milliseconds.
const HeaderTimeout = "X-Pixgraph-Timeout"

// maxTimeoutDigits keeps a client's timeout within a time.Duration. A timeout longer than the gateway's has no effect.
const maxTimeoutDigits = 12

// readLimits stores what limits the operations of a caller: the rate-limit key of the client's address, and
// HeaderTimeout. A malformed timeout is an error, because a client that sets it relies on it.
func (g *Gateway) readLimits(call *request.Call, w http.ResponseWriter, r *http.Request) (ok bool) {
	if call.Timeout, ok = parseTimeout(r.Header[HeaderTimeout]); !ok {
		refuse(call, w, r, &apierror.Error{
			Code: apierror.BadRequest, Message: HeaderTimeout + " must be a positive whole number of milliseconds",
			Status: http.StatusBadRequest,
		})
		return false
	}
	call.Address = g.limited.AddressKey(r)
	if call.Identity == nil { // the token of a WebSocket comes later
		call.Peer = g.limited.ClientKey(r)
	}
	return true
}

// parseTimeout returns the timeout in a header, which is 0 without a value.
func parseTimeout(values []string) (timeout time.Duration, ok bool) {
	switch {
	case len(values) == 0:
		return 0, true
	case len(values) > 1 || len(values[0]) > maxTimeoutDigits:
		return 0, false
	}
	millis, err := strconv.ParseUint(values[0], 10, 64)
	return time.Duration(millis) * time.Millisecond, err == nil && millis > 0
}

// deadlineOf returns the deadline of an operation that starts now: the gateway's, or the client's if it is earlier. It
// returns the zero time without a deadline.
func deadlineOf(call *request.Call, timeout time.Duration) (deadline time.Time, byClient bool) {
	if own := call.Timeout; own > 0 && (timeout <= 0 || own < timeout) {
		timeout, byClient = own, true
	}
	if timeout <= 0 {
		return time.Time{}, false
	}
	return time.Now().Add(timeout), byClient
}
