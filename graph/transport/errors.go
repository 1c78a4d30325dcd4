package transport

import (
	"net/http"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
)

// The names of the limits in errors.
const (
	LimitErrors  = "errors"      // errors of a response
	LimitStreams = "liveStreams" // streams of a caller, or operations of a WebSocket
)

// TooManyErrors returns the error that replaces the errors above the limit of a response.
func TooManyErrors(limit int) *apierror.Error {
	return &apierror.Error{
		Code: apierror.LimitExceeded, Message: "too many errors for one response", Limit: LimitErrors, Max: int64(limit),
	}
}

var (
	errMethod = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "GET, POST"},
		Message: "method not allowed: use GET or POST",
	}
	errNotAcceptable = &apierror.Error{
		Status: http.StatusNotAcceptable, Code: apierror.BadRequest,
		Message: "Accept must allow application/graphql-response+json or application/json, in UTF-8",
	}
	errWhichOperation   = &apierror.Error{Code: apierror.ValidationFailed, Message: "operationName is required: the document has several operations"}
	errUnknownOperation = &apierror.Error{Code: apierror.ValidationFailed, Message: "the document has no operation with the name in operationName"}
	errSubscription     = &apierror.Error{
		Code: apierror.BadRequest, Message: `a subscription needs a stream: accept text/event-stream or multipart/mixed;subscriptionSpec="1.0"`,
	}
	errQueriesOnly = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "POST"}, Message: "GET supports queries only: use POST",
	}

	errOverloaded = apierror.Busy("too many concurrent operations")
	errNoMemory   = apierror.Busy(quota.ErrExhausted.Error())
	errInternal   = apierror.InternalError()
)
