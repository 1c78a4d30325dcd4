package transport

import (
	"net/http"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
)

// The names of the limits in errors.
const (
	LimitBody   = "bodyBytes"  // bytes of a POST body
	LimitDepth  = "jsonDepth"  // nesting depth of arrays and objects in the JSON of a request
	LimitValues = "jsonValues" // values in the JSON of a request
	LimitErrors = "errors"     // errors of a response
)

// closing returns the header of a response that is sent before the whole body was read: the connection is closed.
func closing() map[string]string { return map[string]string{"Connection": "close"} }

func malformed(message string) *apierror.Error {
	return &apierror.Error{Status: http.StatusBadRequest, Code: apierror.BadRequest, Message: message}
}

func unsupported(message string) *apierror.Error {
	return &apierror.Error{
		Status: http.StatusUnsupportedMediaType, Code: apierror.BadRequest, Message: message,
		Header: map[string]string{"Accept-Post": "application/json"},
	}
}

func tooLarge(limit int64) *apierror.Error {
	return &apierror.Error{
		Status: http.StatusRequestEntityTooLarge, Code: apierror.LimitExceeded, Message: "the body is too large",
		Limit: LimitBody, Max: limit, Header: closing(),
	}
}

// TooManyErrors returns the error that replaces the errors above the limit of a response.
func TooManyErrors(limit int) *apierror.Error {
	return &apierror.Error{
		Code: apierror.LimitExceeded, Message: "there are more errors than one response may have", Limit: LimitErrors, Max: int64(limit),
	}
}

var (
	errMethod = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "GET, POST"},
		Message: "GraphQL is served over GET and POST",
	}
	errNotAcceptable = &apierror.Error{
		Status: http.StatusNotAcceptable, Code: apierror.BadRequest,
		Message: "the response can be application/graphql-response+json or application/json, in UTF-8, and Accept allows neither",
	}
	errContentType = unsupported("the Content-Type of a POST has to be application/json, in UTF-8")
	errEncoding    = &apierror.Error{
		Status: http.StatusUnsupportedMediaType, Code: apierror.BadRequest, Message: "a body with a Content-Encoding is not supported",
		// Accept-Encoding of requests: RFC 9110, section 15.5.16.
		Header: map[string]string{"Accept-Post": "application/json", "Accept-Encoding": "identity"},
	}
	errTimeout = &apierror.Error{
		Status: http.StatusRequestTimeout, Code: apierror.BadRequest, Message: "the body did not arrive in time", Header: closing(),
	}
	errBody      = malformed("the body cannot be read")
	errEmpty     = malformed("the body is empty: it has to be a JSON object with the member query")
	errBatch     = malformed("batches are not supported: send one operation per request")
	errNoObject  = malformed("the body has to be a JSON object")
	errJSON      = malformed("the body is not valid JSON in UTF-8")
	errDuplicate = malformed("a member of a JSON object occurs twice")
	errDepth     = &apierror.Error{
		Status: http.StatusBadRequest, Code: apierror.LimitExceeded, Message: "the JSON is nested too deeply",
		Limit: LimitDepth, Max: maxDepth,
	}
	errValues = &apierror.Error{
		Status: http.StatusBadRequest, Code: apierror.LimitExceeded, Message: "the JSON has too many values",
		Limit: LimitValues, Max: maxValues,
	}
	errURL           = malformed("the parameters of the URL cannot be read")
	errRepeated      = malformed("a parameter occurs more than once")
	errParameterJSON = malformed("a parameter of the URL is not valid JSON in UTF-8")

	errNoQuery       = malformed("query is missing")
	errQuery         = malformed("query has to be a string")
	errOperationName = malformed("operationName has to be a string")
	errVariables     = malformed("variables has to be a JSON object")
	errExtensions    = malformed("extensions has to be a JSON object")
	errDocumentID    = malformed("documentId has to be a string")

	errWhichOperation   = &apierror.Error{Code: apierror.ValidationFailed, Message: "the document has several operations: operationName has to name one"}
	errUnknownOperation = &apierror.Error{Code: apierror.ValidationFailed, Message: "the document has no operation of the name in operationName"}
	errSubscription     = &apierror.Error{Code: apierror.BadRequest, Message: "subscriptions are not supported over GET and POST"}
	errQueriesOnly      = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "POST"}, Message: "GET is for queries only",
	}

	errOverloaded = apierror.Busy("too many operations are served at the moment")
	errNoMemory   = apierror.Busy(quota.ErrExhausted.Error())
	errInternal   = apierror.InternalError()
)
