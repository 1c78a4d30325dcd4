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

// Kind says what a caller can do about an Error. There are as many kinds as there are reactions.
type Kind int

// The kinds of Error.
const (
	KindInternal           Kind = iota // a broken invariant of ours
	KindCanceled                       // the caller went away; nobody reads the answer
	KindUnauthenticated                // 401: the token was refused
	KindForbidden                      // 403: the token lacks a permission
	KindNotFound                       // 404: no such record
	KindInvalidInput                   // 422, or refused here before any call
	KindRateLimited                    // 429: too many calls; see RetryAfter
	KindServerError                    // 5xx
	KindUnavailable                    // no answer could be had: refused, reset, overloaded
	KindTimeout                        // no whole answer before the deadline
	KindInvalidResponse                // an answer that breaks the contract of the spec
	KindPagingNotSupported             // the page asked for cannot be had
	KindOverloaded                     // the request holds or reads more than it may; the service is not at fault
)

// String names the kind, for logs.
func (k Kind) String() string {
	names := [...]string{
		"internal", "canceled", "unauthenticated", "forbidden", "not found", "invalid input", "rate limited",
		"server error", "unavailable", "timeout", "invalid response", "paging not supported", "overloaded",
	}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Error is the one error type of this package: operation, kind and cause.
// Neither it nor its cause ever holds a token, a URL, or anything an API sent.
type Error struct {
	Op         string        // what was tried: "list deposits"
	Service    Service       // whose answer it is about
	Kind       Kind          // what the caller can do
	Status     int           // the HTTP status that was answered; 0 without an answer
	RetryAfter time.Duration // how long a 429 or a 5xx asks to wait; 0 when it does not say
	Err        error         // the cause, fit for logs
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

// KindOf returns the kind of err, KindInternal when it is none of ours.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}

// statusKinds is the one table from HTTP status to kind (spec 7). A 5xx that is not named is a server
// error; any other status but 200 is outside the contract.
var statusKinds = map[int]Kind{
	http.StatusUnauthorized:        KindUnauthenticated,
	http.StatusForbidden:           KindForbidden,
	http.StatusNotFound:            KindNotFound,
	http.StatusUnprocessableEntity: KindInvalidInput,
	http.StatusTooManyRequests:     KindRateLimited,
}

// KindOfStatus returns the kind of a response by its HTTP status, which is not 200.
func KindOfStatus(status int) Kind {
	if kind, ok := statusKinds[status]; ok {
		return kind
	}
	if status >= 500 && status <= 599 {
		return KindServerError
	}
	return KindInvalidResponse
}
