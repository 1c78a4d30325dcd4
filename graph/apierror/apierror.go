// Package apierror is the errors of the gateway as its clients see them. An Error carries its code, its HTTP status and when
// to retry from where it is made; Render is the one place that writes it, whether a request is refused in middleware, in the
// transport, by an extension or in a field. Metrics and logs read the type.
//
// Read first: Error.
package apierror

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Error is an error for clients. Nothing that an API sent is in it, nor a token, a URL, or a value of the request. One that
// several requests share is never changed.
type Error struct {
	Code    Code
	Message string

	// Status is the HTTP status of an answer without data; 0 for what the specification of GraphQL over HTTP says of the
	// media type: 200 in application/json, 400 in application/graphql-response+json.
	Status int
	Header map[string]string // that goes with the status, such as Allow

	Retryable  bool          // whether the same request may succeed later
	RetryAfter time.Duration // when; 0 where that is not known

	Limit string // the name of the limit of LimitExceeded
	Max   int64  // its value, in the limit's unit
	Input string // the argument at fault, such as filter.id; "" where it is the path that gqlgen gives

	Service         string   // the API that the error is about
	UpstreamStatus  int      // of the API's answer; 0 without one
	RequiredScope   string   // that the token lacks
	MissingSettings []string // of the gateway
	PerPage         int64    // the size of pages that the API uses; 0 where it does not matter

	Err error // the cause, for logs alone
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Of returns the Error in the chain of err, nil where there is none.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// Input says that an argument cannot be taken. An empty name is that of the argument that gqlgen is reading.
func Input(argument, rule string) *Error {
	message := rule
	if argument != "" {
		message = argument + " " + rule
	}
	return &Error{Code: BadUserInput, Message: message, Input: argument}
}

// Exceeds says that a request is above a limit.
func Exceeds(limit string, most int64, message string) *Error {
	return &Error{Code: LimitExceeded, Message: message, Limit: limit, Max: most}
}

// Busy says that there is no place or no memory for a request at the moment. Operations end within a fraction of a second
// when all is well, so that it may be sent again after one.
func Busy(message string) *Error {
	return &Error{
		Code: Overloaded, Message: message + ": try again later", Status: http.StatusServiceUnavailable,
		Header:    map[string]string{"Connection": "close"}, // what is left of a body is not read
		Retryable: true, RetryAfter: time.Second,
	}
}

// InternalError is a bug of ours. Its cause is logged where it is found.
func InternalError() *Error {
	return &Error{Code: Internal, Message: "internal error", Status: http.StatusInternalServerError}
}

// Wrap makes an error of it that gqlgen takes, for the presenter of the gateway to render.
func (e *Error) Wrap() *gqlerror.Error { return e.Render(nil, "") }

// Render makes the public form. at is where gqlgen raised the error, for its path and locations; nil for none.
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

// set adds a member that is not empty.
func set[T comparable](extensions map[string]any, name string, value T) {
	var none T
	if value != none {
		extensions[name] = value
	}
}

// WriteHeader sets the header that goes with the status.
func (e *Error) WriteHeader(header http.Header) {
	for name, value := range e.Header {
		header.Set(name, value)
	}
	if e.RetryAfter > 0 && (e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests) {
		header.Set("Retry-After", strconv.FormatInt(seconds(e.RetryAfter), 10))
	}
}

// seconds rounds up to what Retry-After can say (RFC 9110, 10.2.3): whole seconds, at least 1.
func seconds(d time.Duration) int64 { return max(1, int64((d+time.Second-1)/time.Second)) }
