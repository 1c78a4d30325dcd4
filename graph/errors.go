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

// outcome is what a kind of upstream failure is to a client. The message has one %s, the service.
type outcome struct {
	code      apierror.Code
	retryable bool
	message   string
}

// outcomes is the one table from the kind of an upstream error to its code.
var outcomes = map[upstream.Kind]outcome{
	upstream.KindCanceled:           {apierror.Unavailable, true, "the call to the %s API was canceled"},
	upstream.KindUnauthenticated:    {apierror.Unauthenticated, false, "the %s API refused the token"},
	upstream.KindForbidden:          {apierror.Forbidden, false, "the %s API does not permit this to the token"},
	upstream.KindNotFound:           {apierror.NotFound, false, "the %s API has no record of this id"},
	upstream.KindInvalidInput:       {apierror.BadUserInput, false, "the %s API refused the input"},
	upstream.KindRateLimited:        {apierror.RateLimited, true, "the %s API was called too often"},
	upstream.KindServerError:        {apierror.UpstreamError, true, "the %s API failed"},
	upstream.KindUnavailable:        {apierror.Unavailable, true, "the %s API cannot be reached"},
	upstream.KindTimeout:            {apierror.Timeout, true, "the %s API did not answer in time"},
	upstream.KindInvalidResponse:    {apierror.InvalidResponse, false, "the %s API returned an invalid response"},
	upstream.KindOverloaded:         {apierror.Overloaded, true, "the gateway cannot read from the %s API at the moment"},
	upstream.KindPagingNotSupported: {apierror.PagingUnsupported, false, "the %s API did not return the requested page"},
}

// dispatcherScope is the one scope that the contract names (spec 5).
const dispatcherScope = "get_dispatcher"

// Describe is an error as clients see it; nil for one that is not foreseen, which is a bug. Errors of packages that know
// GraphQL are their own description; those of upstream, auth and quota, which do not, get theirs here.
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

// CodeOf is the code of an error.
func CodeOf(err error) apierror.Code {
	if e := Describe(err); e != nil {
		return e.Code
	}
	return apierror.Internal
}

// errNoMemory is a request that there is no memory for.
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

// innermost is the cause behind the last of our own errors in the chain.
func innermost(failed *upstream.Error) error {
	for {
		var inner *upstream.Error
		if !errors.As(failed.Err, &inner) || inner.Err == nil {
			return failed.Err
		}
		failed = inner
	}
}

// retryAfterOutage is when to retry a request that could not be authenticated because an issuer cannot be reached: auth asks
// the issuer again after that.
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
