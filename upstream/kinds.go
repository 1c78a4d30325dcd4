package upstream

import (
	"errors"
	"net/http"
	"strings"
)

// Kind says what a caller can do about an Error. Errors with the same Reaction have the same kind.
type Kind int

// The kinds of Error. Each has a row in reactions.
const (
	KindInternal           Kind = iota // a bug in the gateway
	KindCanceled                       // the caller cancelled the call
	KindUnauthenticated                // the token was rejected
	KindForbidden                      // the token lacks a permission
	KindNotFound                       // no such record
	KindInvalidInput                   // rejected by the service, or before any call
	KindRateLimited                    // too many calls; see RetryAfter
	KindServerError                    // every 5xx
	KindUnavailable                    // no response: connection refused or reset, queue full, circuit breaker open
	KindTimeout                        // no complete response before the deadline
	KindClientDeadline                 // the same, because the client of the gateway set an earlier deadline
	KindOperationDeadline              // the same, because the operation had used most of its time for other calls
	KindInvalidResponse                // a response that breaks the contract
	KindPagingNotSupported             // the page cannot be requested, or the API returned another one
	KindOverloaded                     // the memory limit of the request or of the gateway is reached; the service is not at fault

	NumKinds // the number of kinds
)

// Reaction is what the gateway, its streams and its clients do about the errors of a kind. What depends on the kind of
// every error belongs here, and not in a switch elsewhere.
type Reaction struct {
	Name       string // in logs; in metrics with _ instead of spaces
	Status     int    // the HTTP status of a response of this kind; 0 without one
	Code       string // extensions.code of the error that clients see: one of graph/apierror
	Message    string // of that error; %s is the service
	ShowsCause bool   // whether the message ends with the cause of an error without a status: names of fields and pages, never content
	Retryable  bool   // whether the same request of a client may succeed later
	ByClient   bool   // whether the client caused it, so that it is not logged as a failure
	ByLoad     bool   // whether other calls used the time or memory that this one needed
	EndsStream bool   // whether the next read of a stream would fail too
	Health     Health // of the service, for its circuit breaker
	Fault      bool   // whether the service did not respond as agreed, for alerts: PixgraphUpstreamFailing has the names
	Unshared   bool   // whether identical calls that waited for this one are sent separately, because the cause is that of one caller

	retried func(*Error) bool // whether the gateway retries the call; nil for never
}

// Health is what an error says about its service.
type Health int

// The values of Health.
const (
	HealthUnknown   Health = iota + 1 // nothing: the call ended for another reason
	HealthGood                        // the service works: it responded
	HealthBad                         // the service fails
	HealthBadIfSlow                   // the service fails if it had enough time to respond, or else nothing
	HealthRefused                     // it, or a proxy, answered before it read a record: good for its caller, nothing for others
)

// reactions is the only table of kinds (spec 7).
var reactions = [...]Reaction{
	KindInternal: {
		Name: "internal", Code: "INTERNAL", Message: "internal error", EndsStream: true, Health: HealthUnknown,
	},
	KindCanceled: {
		Name: "canceled", Code: "UPSTREAM_UNAVAILABLE", Message: "%s API call was canceled",
		Retryable: true, ByClient: true, Health: HealthUnknown,
	},
	KindUnauthenticated: {
		Name: "unauthenticated", Status: http.StatusUnauthorized, Code: "UNAUTHENTICATED", Message: "%s API rejected the token",
		EndsStream: true, Health: HealthRefused,
	},
	KindForbidden: {
		Name: "forbidden", Status: http.StatusForbidden, Code: "FORBIDDEN", Message: "%s API denied access: the token lacks a permission",
		ByClient: true, EndsStream: true, Health: HealthRefused,
	},
	KindNotFound: {
		Name: "not found", Status: http.StatusNotFound, Code: "NOT_FOUND", Message: "%s API has no record with this id",
		ByClient: true, EndsStream: true, Health: HealthGood,
	},
	KindInvalidInput: {
		Name: "invalid input", Status: http.StatusUnprocessableEntity, Code: "BAD_USER_INPUT", Message: "%s API rejected the input",
		ByClient: true, EndsStream: true, Health: HealthRefused,
	},
	KindRateLimited: {
		Name: "rate limited", Status: http.StatusTooManyRequests, Code: "RATE_LIMITED", Message: "%s API rate limit exceeded",
		Retryable: true, Health: HealthRefused, retried: hasRetryAfter,
	},
	KindServerError: {
		Name: "server error", Code: "UPSTREAM_ERROR", Message: "%s API returned a server error",
		Retryable: true, Health: HealthBad, Fault: true, retried: is502To504,
	},
	KindUnavailable: {
		Name: "unavailable", Code: "UPSTREAM_UNAVAILABLE", Message: "%s API is unavailable",
		Retryable: true, Health: HealthBad, Fault: true, retried: always,
	},
	KindTimeout: {
		Name: "timeout", Code: "UPSTREAM_TIMEOUT", Message: "%s API did not respond in time",
		Retryable: true, Health: HealthBadIfSlow, Fault: true,
	},
	KindClientDeadline: {
		Name: "client deadline", Code: "UPSTREAM_TIMEOUT", Message: "%s API did not respond before the deadline in X-Pixgraph-Timeout",
		Retryable: true, ByClient: true, Health: HealthBadIfSlow,
	},
	KindOperationDeadline: {
		Name: "operation deadline", Code: "UPSTREAM_TIMEOUT",
		Message:   "%s API did not respond before the deadline of the operation, whose other calls took most of the time",
		Retryable: true, ByLoad: true, Health: HealthUnknown,
	},
	KindInvalidResponse: {
		Name: "invalid response", Code: "UPSTREAM_INVALID_RESPONSE", Message: "%s API returned an invalid response",
		ShowsCause: true, Health: HealthRefused, Fault: true,
	},
	KindPagingNotSupported: {
		Name: "paging not supported", Code: "PAGINATION_UNSUPPORTED", Message: "%s API did not return the requested page",
		ShowsCause: true, EndsStream: true, Health: HealthGood,
	},
	KindOverloaded: {
		Name: "overloaded", Code: "OVERLOADED", Message: "not enough memory for the response of the %s API: retry later",
		Retryable: true, ByLoad: true, Health: HealthUnknown, Unshared: true,
	},
}

// A kind after the last row does not compile. TestReactions finds other kinds without one.
var _ [len(reactions) - int(NumKinds)]struct{}

// Reaction returns the row of a kind. A kind without a row is internal, so it cannot reach a client.
func (k Kind) Reaction() Reaction {
	if k < 0 || k >= NumKinds || reactions[k].Name == "" {
		k = KindInternal
	}
	return reactions[k]
}

// String names the kind, for logs.
func (k Kind) String() string { return k.Reaction().Name }

// MessageOf returns the message for clients.
func (r Reaction) MessageOf(service Service) string {
	return strings.Replace(r.Message, "%s", string(service), 1)
}

// Retried reports whether the gateway retries the call of an error.
func (e *Error) Retried() bool {
	retried := e.Kind.Reaction().retried
	return retried != nil && retried(e)
}

func always(*Error) bool { return true }

func hasRetryAfter(e *Error) bool { return e.RetryAfter > 0 }

// is502To504: a 500 is not retried, because it is also the response for a record that the service cannot serve.
func is502To504(e *Error) bool {
	return e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout
}

// KindOf returns the kind of err, or KindInternal if err is not an Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// KindOfStatus returns the kind of a response by its HTTP status, for statuses other than 200. A 5xx without a row is a
// server error; any other status without a row is outside the contract.
func KindOfStatus(status int) Kind {
	for kind, r := range reactions {
		if r.Status == status && status != 0 {
			return Kind(kind)
		}
	}
	if status >= 500 && status <= 599 {
		return KindServerError
	}
	return KindInvalidResponse
}
