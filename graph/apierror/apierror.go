// Package apierror defines the errors that clients see. The code that creates an Error sets its code, HTTP status and
// retry advice. Render is the only function that formats it, for errors of middleware, the transport, extensions and
// fields alike. Metrics and logs read the fields of the Error.
//
// Read Error first.
package apierror

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Error is an error for clients. What clients see of it holds nothing that an API sent, and no token, URL or value of
// the request. Several requests may share an Error, so it must not be modified.
type Error struct {
	Code    Code
	Message string

	// Status is the HTTP status of a response without data. 0 means the status that GraphQL over HTTP defines for the
	// media type: 200 for application/json, 400 for application/graphql-response+json.
	Status int
	Header map[string]string // headers that belong to the status, such as Allow

	Retryable  bool          // whether the same request may succeed later
	RetryAfter time.Duration // the time to wait; 0 if unknown

	Limit string // the name of the limit, for LimitExceeded
	Max   int64  // the value of the limit, in its unit
	Input string // the invalid argument, such as filter.id; "" if the path of the error identifies it

	Service         string   // the API that caused the error
	UpstreamStatus  int      // the status of the API's response; 0 without one
	RequiredScope   string   // the scope that the token lacks
	MissingSettings []string // the gateway's settings that are missing
	PerPage         int64    // the page size that the API uses; 0 if not relevant

	Err error // the cause, only for logs
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Of returns the Error in the chain of err, or nil without one.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// Input returns the error for an invalid argument. An empty name means the argument that gqlgen is decoding.
func Input(argument, rule string) *Error {
	message := rule
	if argument != "" {
		message = argument + " " + rule
	}
	return &Error{Code: BadUserInput, Message: message, Input: argument}
}

// Exceeds returns the error for a request above a limit.
func Exceeds(limit string, maximum int64, message string) *Error {
	return &Error{Code: LimitExceeded, Message: message, Limit: limit, Max: maximum}
}

// NoMemory is the error for a request that needs more memory than is available.
var NoMemory = Busy("not enough memory for the request")

// Busy returns the error for a request that cannot be admitted or that needs more memory than is available. Operations
// normally end within a fraction of a second, so a client may retry after a second.
func Busy(message string) *Error {
	return &Error{
		Code: Overloaded, Message: message + ": retry later", Status: http.StatusServiceUnavailable,
		Header:    map[string]string{"Connection": "close"}, // the rest of the request body is not read
		Retryable: true, RetryAfter: time.Second,
	}
}

// InternalError returns the error for a bug of the gateway. The code that detects the bug logs the cause.
func InternalError() *Error {
	return &Error{Code: Internal, Message: "internal error", Status: http.StatusInternalServerError}
}

// Wrap returns the error as gqlgen's type. The gateway's error presenter renders it.
func (e *Error) Wrap() *gqlerror.Error { return e.Render(nil, "") }

// Render returns the public form. at is the error that gqlgen raised, for its path and locations; it may be nil.
func (e *Error) Render(at *gqlerror.Error, requestID string) *gqlerror.Error {
	extensions := map[string]any{"code": string(e.Code), "retryable": e.Retryable}
	set(extensions, "retryAfterMs", int64((e.RetryAfter+time.Millisecond-1)/time.Millisecond))
	if e.Limit != "" {
		extensions["limit"], extensions["value"] = e.Limit, e.Max
	}
	set(extensions, "input", e.Input)
	set(extensions, "service", e.Service)
	set(extensions, "upstreamStatus", e.UpstreamStatus)
	set(extensions, "requiredScope", e.RequiredScope)
	set(extensions, "perPage", e.PerPage)
	if len(e.MissingSettings) > 0 {
		extensions["missingSettings"] = e.MissingSettings
	}
	set(extensions, "requestId", requestID)
	shown := &gqlerror.Error{Err: e, Message: e.Message, Extensions: extensions}
	if at != nil {
		shown.Path, shown.Locations = at.Path, at.Locations
	}
	return shown
}

// set adds a member unless its value is empty.
func set[T comparable](extensions map[string]any, name string, value T) {
	var none T
	if value != none {
		extensions[name] = value
	}
}

// WriteHeader sets the headers that belong to the status.
func (e *Error) WriteHeader(header http.Header) {
	for name, value := range e.Header {
		header.Set(name, value)
	}
	if e.RetryAfter > 0 && (e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests) {
		header.Set("Retry-After", strconv.FormatInt(seconds(e.RetryAfter), 10))
	}
}

// seconds rounds up to whole seconds, at least 1, as Retry-After requires (RFC 9110, section 10.2.3).
func seconds(d time.Duration) int64 { return max(1, int64((d+time.Second-1)/time.Second)) }
