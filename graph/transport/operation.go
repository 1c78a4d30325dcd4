package transport

import (
	"net/http"

	"pixgraph/graph/apierror"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkOperation rejects a valid operation that is not supported: anything other than a query over GET, and a
// subscription.
func checkOperation(method string, operation *graphql.OperationContext) gqlerror.List {
	switch kind := operation.Operation.Operation; {
	case method == http.MethodGet && kind != ast.Query:
		return wrap(errQueriesOnly)
	case kind == ast.Subscription:
		return wrap(errSubscription)
	}
	return nil
}

// wrap converts an error to gqlgen's type. errors.As finds it in there.
func wrap(err *apierror.Error) gqlerror.List { return gqlerror.List{err.Wrap()} }
