package graph

import (
	"errors"
	"net/http"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

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
		return apierror.NoMemory
	case errors.As(err, &failed) && failed.Kind.Reaction().Code != string(apierror.Internal):
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

func describeUpstream(failed *upstream.Error) *apierror.Error {
	reaction := failed.Kind.Reaction()
	e := &apierror.Error{
		Code: apierror.Code(reaction.Code), Message: reaction.MessageOf(failed.Service), Retryable: reaction.Retryable,
		RetryAfter: failed.RetryAfter, Service: string(failed.Service), UpstreamStatus: failed.Status, Err: failed,
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
	case reaction.ShowsCause && failed.Status == 0 && failed.Err != nil:
		e.Message += ": " + innermost(failed).Error()
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
