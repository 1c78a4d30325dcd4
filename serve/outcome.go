package serve

import (
	"errors"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// Outcome says whether an operation failed, and why. An operation with several errors has the largest outcome of them.
type Outcome int

// The outcomes.
const (
	OutcomeOK         Outcome = iota
	OutcomeClient             // the client's fault: the request, its token, its deadline, or that it was cancelled
	OutcomeOverloaded         // there was no capacity or no time for the operation or for a call, which other calls may have used
	OutcomeUpstream           // the fault of an API
	OutcomeGateway            // the gateway's fault
)

// Outcomes returns the names of all outcomes, in their order. Metrics use them.
func Outcomes() []string {
	return []string{"ok", "client_error", "overloaded", "upstream_error", "gateway_error"}
}

// outcomes is the outcome of the errors with a code. A code that is not listed is a fault of the gateway.
var outcomes = map[apierror.Code]Outcome{
	apierror.BadRequest: OutcomeClient, apierror.ParseFailed: OutcomeClient, apierror.ValidationFailed: OutcomeClient,
	apierror.PersistedNotFound: OutcomeClient, apierror.DocumentNotTrusted: OutcomeClient,
	apierror.LimitExceeded: OutcomeClient, apierror.BadUserInput: OutcomeClient, apierror.PagingUnsupported: OutcomeClient,
	apierror.LinksNotConfigured: OutcomeClient,
	apierror.Unauthenticated:    OutcomeClient, apierror.Forbidden: OutcomeClient, apierror.NotFound: OutcomeClient,
	apierror.RateLimited: OutcomeClient,

	apierror.Overloaded: OutcomeOverloaded,

	apierror.UpstreamError: OutcomeUpstream, apierror.Unavailable: OutcomeUpstream, apierror.Timeout: OutcomeUpstream,
	apierror.InvalidResponse: OutcomeUpstream,
}

// outcomeOf returns the outcome of an operation with only this error; nil is an error of another type.
func outcomeOf(e *apierror.Error) Outcome {
	if e == nil {
		return OutcomeGateway
	}
	switch reaction := upstream.KindOf(e.Err).Reaction(); {
	case reaction.ByClient:
		return OutcomeClient
	case reaction.ByLoad, errors.Is(e.Err, quota.ErrQueueFull), errors.Is(e.Err, quota.ErrQueueTimeout):
		return OutcomeOverloaded
	}
	if outcome, listed := outcomes[e.Code]; listed {
		return outcome
	}
	return OutcomeGateway
}
