package transport

import (
	"net/http"

	"pixgraph/graph/apierror"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkOperation refuses an operation that is valid but not served this way: one that is no query over GET, and a
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

// wrap makes an error what gqlgen takes; errors.As finds it there.
func wrap(err *apierror.Error) gqlerror.List { return gqlerror.List{err.Wrap()} }
