package upstream

import (
	"fmt"
	"time"
)

// Service is one of the two REST APIs.
type Service string

// The two services, by the names that errors, logs and metrics use.
const (
	Core       Service = "core"
	Dispatcher Service = "dispatcher"
)

// Error is the error type of calls: operation, kind and cause. Neither it nor its cause contains a token, a URL, or
// data that an API sent.
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
