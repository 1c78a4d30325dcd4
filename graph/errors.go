package graph

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// outcome describes an upstream failure to a client. The message has one %s, for the service.
type outcome struct {
	code      apierror.Code
	retryable bool
	message   string
}

// outcomes is the only table from the kind of an upstream error to its code.
var outcomes = map[upstream.Kind]outcome{
	upstream.KindCanceled:           {apierror.Unavailable, true, "%s API call was canceled"},
	upstream.KindUnauthenticated:    {apierror.Unauthenticated, false, "%s API rejected the token"},
	upstream.KindForbidden:          {apierror.Forbidden, false, "%s API denied access: the token lacks a permission"},
	upstream.KindNotFound:           {apierror.NotFound, false, "%s API has no record with this id"},
	upstream.KindInvalidInput:       {apierror.BadUserInput, false, "%s API rejected the input"},
	upstream.KindRateLimited:        {apierror.RateLimited, true, "%s API rate limit exceeded"},
	upstream.KindServerError:        {apierror.UpstreamError, true, "%s API returned a server error"},
	upstream.KindUnavailable:        {apierror.Unavailable, true, "%s API is unavailable"},
	upstream.KindTimeout:            {apierror.Timeout, true, "%s API did not respond in time"},
	upstream.KindClientDeadline:     {apierror.Timeout, true, "%s API did not respond before the deadline in X-Pixgraph-Timeout"},
	upstream.KindInvalidResponse:    {apierror.InvalidResponse, false, "%s API returned an invalid response"},
	upstream.KindOverloaded:         {apierror.Overloaded, true, "not enough memory for the response of the %s API: retry later"},
	upstream.KindPagingNotSupported: {apierror.PagingUnsupported, false, "%s API did not return the requested page"},
	upstream.KindOperationDeadline: {
		apierror.Timeout, true, "%s API did not respond before the deadline of the operation, whose other calls took most of the time",
	},
}

// dispatcherScope is the only scope in the contract (spec 5).
const dispatcherScope = "get_dispatcher"

// Describe returns the error that clients see, or nil for an unexpected error, which is a bug. Errors of packages under
// graph are described where they are created; errors of upstream, auth and quota are described here.
func Describe(err error) *apierror.Error {
	var (
		over    *quota.Exceeded
		failed  *upstream.Error
		refused *auth.Error
	)
	switch own := apierror.Of(err); {
	case own != nil:
		return own
	case errors.As(err, &over):
		return apierror.Exceeds(over.Limit, over.Max, over.Error())
	case errors.Is(err, quota.ErrExhausted):
		return errNoMemory
	case errors.As(err, &failed) && failed.Kind != upstream.KindInternal:
		return describeUpstream(failed)
	case errors.As(err, &refused):
		return describeAuth(refused)
	default:
		return nil
	}
}

// CodeOf returns the code of an error.
func CodeOf(err error) apierror.Code {
	if e := Describe(err); e != nil {
		return e.Code
	}
	return apierror.Internal
}

// errNoMemory rejects a request that needs more memory than is available.
var errNoMemory = apierror.Busy(quota.ErrExhausted.Error())

func describeUpstream(failed *upstream.Error) *apierror.Error {
	known := outcomes[failed.Kind]
	e := &apierror.Error{
		Code: known.code, Message: fmt.Sprintf(known.message, failed.Service), Retryable: known.retryable, RetryAfter: failed.RetryAfter,
		Service: string(failed.Service), UpstreamStatus: failed.Status, Err: failed,
	}
	if failed.Kind == upstream.KindForbidden && failed.Service == upstream.Dispatcher {
		e.RequiredScope = dispatcherScope
	}
	var (
		invalid       *upstream.InvalidInputError
		notConfigured *client.NotConfiguredError
		pageSize      *client.PageSizeError
	)
	if errors.As(failed, &pageSize) {
		e.PerPage = pageSize.Used
	}
	switch {
	case errors.As(failed, &invalid):
		e.Message, e.Input = invalid.Error(), invalid.Violations[0].Field
	case errors.As(failed, &notConfigured):
		e.Message, e.MissingSettings = notConfigured.Error(), notConfigured.Settings
	case failed.Kind == upstream.KindInvalidResponse && failed.Status == 0 && failed.Err != nil,
		failed.Kind == upstream.KindPagingNotSupported && failed.Err != nil:
		e.Message += ": " + innermost(failed).Error() // names of fields and page numbers, never content
	}
	return e
}

// innermost returns the cause of the innermost upstream.Error in the chain.
func innermost(failed *upstream.Error) error {
	for {
		var inner *upstream.Error
		if !errors.As(failed.Err, &inner) || inner.Err == nil {
			return failed.Err
		}
		failed = inner
	}
}

// retryAfterOutage is the time to wait after a request that could not be authenticated because its issuer is
// unreachable. After it, auth contacts the issuer again.
const retryAfterOutage = 10 * time.Second

func describeAuth(refused *auth.Error) *apierror.Error {
	if refused.Unavailable() {
		return &apierror.Error{
			Code: apierror.Unavailable, Message: refused.Public(), Status: http.StatusServiceUnavailable,
			Retryable: true, RetryAfter: retryAfterOutage, Err: refused,
		}
	}
	return &apierror.Error{
		Code: apierror.Unauthenticated, Message: refused.Public(), Status: http.StatusUnauthorized,
		Header: map[string]string{"WWW-Authenticate": refused.Challenge()}, Err: refused,
	}
}
