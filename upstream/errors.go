package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Service is one of the two REST APIs.
type Service string

// The two services, by the names that errors, logs and metrics use.
const (
	Core       Service = "core"
	Dispatcher Service = "dispatcher"
)

// Kind says what a caller can do about an Error. Errors with the same reaction have the same kind.
type Kind int

// The kinds of Error.
const (
	KindInternal           Kind = iota // a bug in the gateway
	KindCanceled                       // the caller cancelled the call
	KindUnauthenticated                // 401: the token was rejected
	KindForbidden                      // 403: the token lacks a permission
	KindNotFound                       // 404: no such record
	KindInvalidInput                   // 422, or rejected before any call
	KindRateLimited                    // 429: too many calls; see RetryAfter
	KindServerError                    // 5xx
	KindUnavailable                    // no response: connection refused or reset, queue full, circuit breaker open
	KindTimeout                        // no complete response before the deadline
	KindClientDeadline                 // the same, because the client of the gateway set an earlier deadline
	KindOperationDeadline              // the same, because the operation had used most of its time for other calls
	KindInvalidResponse                // a response that breaks the contract
	KindPagingNotSupported             // the page cannot be requested, or the API returned another one
	KindOverloaded                     // the memory limit of the request or of the gateway is reached; the service is not at fault
)

// String names the kind, for logs.
func (k Kind) String() string {
	names := [...]string{
		"internal", "canceled", "unauthenticated", "forbidden", "not found", "invalid input", "rate limited",
		"server error", "unavailable", "timeout", "client deadline", "operation deadline", "invalid response", "paging not supported", "overloaded",
	}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Error is the error type of calls: operation, kind and cause. Neither it nor its cause contains a token, a URL, or data that
// an API sent.
type Error struct {
	Op         string        // the operation: "list deposits"
	Service    Service       // the API that was called
	Kind       Kind          // what the caller can do
	Status     int           // the HTTP status; 0 without a response
	RetryAfter time.Duration // the Retry-After of a 429 or a 5xx, or the wait for an open breaker; 0 for none
	Err        error         // the cause; it can be logged
}

// Error implements error.
func (e *Error) Error() string {
	msg := fmt.Sprintf("%s: %s: %s", e.Service, e.Op, e.Kind)
	if e.Status != 0 {
		msg += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err, or KindInternal if err is not an Error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}

// statusKinds is the only table from HTTP status to kind (spec 7). Every 5xx is a server error; any other status except 200 is
// outside the contract.
var statusKinds = map[int]Kind{
	http.StatusUnauthorized:        KindUnauthenticated,
	http.StatusForbidden:           KindForbidden,
	http.StatusNotFound:            KindNotFound,
	http.StatusUnprocessableEntity: KindInvalidInput,
	http.StatusTooManyRequests:     KindRateLimited,
}

// KindOfStatus returns the kind of a response by its HTTP status, for statuses other than 200.
func KindOfStatus(status int) Kind {
	if kind, ok := statusKinds[status]; ok {
		return kind
	}
	if status >= 500 && status <= 599 {
		return KindServerError
	}
	return KindInvalidResponse
}
