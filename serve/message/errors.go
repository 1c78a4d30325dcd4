package message

import (
	"net/http"

	"pixgraph/graph/apierror"
)

// The names of the limits in errors.
const (
	LimitBody   = "bodyBytes"  // bytes of a POST body
	LimitDepth  = "jsonDepth"  // nesting depth of arrays and objects in the JSON of a request
	LimitValues = "jsonValues" // values in the JSON of a request
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
		Status: http.StatusRequestEntityTooLarge, Code: apierror.LimitExceeded, Message: "the request body is too large",
		Limit: LimitBody, Max: limit, Header: closing(),
	}
}

func tooManyValues(limit int) *apierror.Error {
	return &apierror.Error{
		Status: http.StatusBadRequest, Code: apierror.LimitExceeded, Message: "the JSON of the request has too many values",
		Limit: LimitValues, Max: int64(limit),
	}
}

// Errors of a body that is no JSON object, which protocols number.
var (
	ErrEmpty    = malformed("the request body is empty: send a JSON object with the member query")
	ErrBatch    = malformed("batching is not supported: send one operation per request")
	ErrNoObject = malformed("the request body must be a JSON object")
	ErrJSON     = malformed("the request body is not valid JSON in UTF-8")
)

var (
	errContentType = unsupported("Content-Type must be application/json, in UTF-8")
	errEncoding    = &apierror.Error{
		Status: http.StatusUnsupportedMediaType, Code: apierror.BadRequest,
		Message: "Content-Encoding is not supported: send the body uncompressed",
		// Accept-Encoding of requests: RFC 9110, section 15.5.16.
		Header: map[string]string{"Accept-Post": "application/json", "Accept-Encoding": "identity"},
	}
	errTimeout = &apierror.Error{
		Status: http.StatusRequestTimeout, Code: apierror.BadRequest, Message: "the request body did not arrive in time", Header: closing(),
	}
	errBody      = malformed("the request body cannot be read")
	errDuplicate = malformed("a JSON object has a duplicate member")
	errDepth     = &apierror.Error{
		Status: http.StatusBadRequest, Code: apierror.LimitExceeded, Message: "the JSON of the request is nested too deeply",
		Limit: LimitDepth, Max: maxDepth,
	}
	errURL           = malformed("the URL parameters are malformed")
	errRepeated      = malformed("a URL parameter occurs more than once")
	errParameterJSON = malformed("a URL parameter is not valid JSON in UTF-8")

	errNoQuery       = malformed("query is missing")
	errQuery         = malformed("query must be a string")
	errOperationName = malformed("operationName must be a string")
	errVariables     = malformed("variables must be a JSON object")
	errExtensions    = malformed("extensions must be a JSON object")
	errDocumentID    = malformed("documentId must be a string")
)
