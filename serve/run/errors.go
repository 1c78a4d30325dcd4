package run

import (
	"pixgraph/graph/apierror"
)

// The names of the limits in errors.
const (
	LimitErrors  = "errors"      // errors of a response
	LimitStreams = "liveStreams" // streams of a caller
)

// TooManyErrors returns the error that replaces the errors above the limit of a response.
func TooManyErrors(limit int) *apierror.Error {
	return &apierror.Error{
		Code: apierror.LimitExceeded, Message: "too many errors for one response", Limit: LimitErrors, Max: int64(limit),
	}
}

var (
	errWhichOperation = &apierror.Error{
		Code: apierror.ValidationFailed, Message: "operationName is required: the document has several operations",
	}
	errUnknownOperation = &apierror.Error{
		Code: apierror.ValidationFailed, Message: "the document has no operation with the name in operationName",
	}
	// ErrOverloaded rejects an operation without a slot.
	ErrOverloaded = apierror.Busy("too many concurrent operations")

	// ErrInternal is the error for a bug of the gateway.
	ErrInternal = apierror.InternalError()
)
