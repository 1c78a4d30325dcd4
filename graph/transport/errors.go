package transport

import (
	"net/http"
	"time"

	"pixgraph/internal/quota"
)

// The codes of Error.Code.
const (
	CodeBadRequest    = "BAD_REQUEST"               // the HTTP request is not one that GraphQL can be read from
	CodeCSRF          = "CSRF_PREVENTED"            // another site's page could have sent it
	CodeLimitExceeded = "LIMIT_EXCEEDED"            // it is larger than a limit, which is named
	CodeValidation    = "GRAPHQL_VALIDATION_FAILED" // as gqlgen's: the document has no such operation
	CodeOverloaded    = "OVERLOADED"                // there is no place or no memory for it at the moment
	CodeInternal      = "INTERNAL"                  // a bug of ours
)

// Error says why a request was refused before its operation was executed. Its text is one of this file: nothing of a
// request is in it.
type Error struct {
	Status  int    // of HTTP; 0 for what the specification says of the media type of the answer
	Code    string // one of the codes above
	Message string
	Limit   string // which limit, where Code is CodeLimitExceeded
	Max     int    // its value, in the limit's unit

	allow      string        // the methods of an Allow header
	retryAfter time.Duration // when the same request may succeed; 0 for never
}

func (e *Error) Error() string { return e.Message }

// Extensions are the error's own extensions: code, retryable, and for a limit its name and value.
func (e *Error) Extensions() map[string]any {
	extensions := map[string]any{"code": e.Code, "retryable": e.retryAfter > 0}
	if e.retryAfter > 0 {
		extensions["retryAfterMs"] = e.retryAfter.Milliseconds()
	}
	if e.Limit != "" {
		extensions["limit"], extensions["value"] = e.Limit, e.Max
	}
	return extensions
}

// The names of Error.Limit.
const (
	LimitBody   = "bodyBytes"  // bytes of a POST body
	LimitDepth  = "jsonDepth"  // arrays and objects within each other in the JSON of a request
	LimitValues = "jsonValues" // values in the JSON of a request
	LimitErrors = "errors"     // errors of an answer
)

func malformed(message string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: CodeBadRequest, Message: message}
}

func unsupported(message string) *Error {
	return &Error{Status: http.StatusUnsupportedMediaType, Code: CodeBadRequest, Message: message}
}

func tooLarge(limit int64) *Error {
	return &Error{
		Status: http.StatusRequestEntityTooLarge, Code: CodeLimitExceeded, Message: "the body is too large",
		Limit: LimitBody, Max: int(limit),
	}
}

// TooManyErrors says that an answer would have had more errors than it may.
func TooManyErrors(limit int) *Error {
	return &Error{
		Code: CodeLimitExceeded, Message: "there are more errors than one answer may hold", Limit: LimitErrors, Max: limit,
	}
}

var (
	errMethod = &Error{
		Status: http.StatusMethodNotAllowed, Code: CodeBadRequest, allow: "GET, POST",
		Message: "GraphQL is served over GET and POST",
	}
	errNotAcceptable = &Error{
		Status: http.StatusNotAcceptable, Code: CodeBadRequest,
		Message: "the answer can be application/graphql-response+json or application/json, in UTF-8, and Accept has neither",
	}
	errContentType = unsupported("the Content-Type of a POST has to be application/json, in UTF-8")
	errEncoding    = unsupported("a body with a Content-Encoding is not read")
	errTimeout     = &Error{
		Status: http.StatusRequestTimeout, Code: CodeBadRequest, Message: "the body did not arrive in time",
	}
	errBody      = malformed("the body cannot be read")
	errEmpty     = malformed("the body is empty: it has to be a JSON object with the member query")
	errBatch     = malformed("batches are not served: send one operation in a request")
	errNoObject  = malformed("the body has to be a JSON object")
	errJSON      = malformed("the body is not valid JSON in UTF-8")
	errDuplicate = malformed("a member of a JSON object is there twice")
	errDepth     = &Error{
		Status: http.StatusBadRequest, Code: CodeLimitExceeded, Message: "the JSON is nested too deeply",
		Limit: LimitDepth, Max: maxDepth,
	}
	errValues = &Error{
		Status: http.StatusBadRequest, Code: CodeLimitExceeded, Message: "the JSON has too many values",
		Limit: LimitValues, Max: maxValues,
	}
	errURL           = malformed("the parameters of the URL cannot be read")
	errRepeated      = malformed("a parameter is there more than once")
	errParameterJSON = malformed("a parameter of the URL is not valid JSON in UTF-8")

	errNoQuery       = malformed("query is missing")
	errQuery         = malformed("query has to be a string")
	errOperationName = malformed("operationName has to be a string")
	errVariables     = malformed("variables has to be a JSON object")
	errExtensions    = malformed("extensions has to be a JSON object")
	errDocumentID    = malformed("documentId has to be a string")

	errWhichOperation   = &Error{Code: CodeValidation, Message: "the document has several operations: operationName has to name one"}
	errUnknownOperation = &Error{Code: CodeValidation, Message: "the document has no operation of the name in operationName"}
	errSubscription     = &Error{Code: CodeBadRequest, Message: "subscriptions are not served over GET and POST"}
	errQueriesOnly      = &Error{
		Status: http.StatusMethodNotAllowed, Code: CodeBadRequest, allow: "POST", Message: "GET is for queries only",
	}

	errCrossSite = &Error{
		Status: http.StatusForbidden, Code: CodeCSRF,
		Message: "a page of another site could have sent this request: send Content-Type: application/json, Authorization, or a GraphQL-Require-Preflight header",
	}
	errOverloaded = &Error{
		Status: http.StatusServiceUnavailable, Code: CodeOverloaded, retryAfter: time.Second,
		Message: "too many operations are served at the moment: try again later",
	}
	errNoMemory = &Error{
		Status: http.StatusServiceUnavailable, Code: CodeOverloaded, retryAfter: time.Second,
		Message: quota.ErrExhausted.Error() + ": try again later",
	}
	errInternal = &Error{Status: http.StatusInternalServerError, Code: CodeInternal, Message: "internal error"}
)
