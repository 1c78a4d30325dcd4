package transport

import (
	"net/http"

	"pixgraph/graph/apierror"
)

var (
	errMethod = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "GET, HEAD, POST"},
		Message: "method not allowed: use GET or POST",
	}
	errNotAcceptable = &apierror.Error{
		Status: http.StatusNotAcceptable, Code: apierror.BadRequest,
		Message: "Accept must allow application/graphql-response+json or application/json, in UTF-8",
	}
	errSubscription = &apierror.Error{
		Code: apierror.BadRequest, Message: `a subscription needs a stream: accept text/event-stream or multipart/mixed;subscriptionSpec="1.0"`,
	}
	errQueriesOnly = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "POST"},
		Message: "GET supports queries only: use POST",
	}
)
