package transport

import (
	"net/http"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkOperation refuses an operation that is valid but not served this way: one that is no query over GET, a
// subscription, and @defer.
func checkOperation(method string, operation *graphql.OperationContext) gqlerror.List {
	switch kind := operation.Operation.Operation; {
	case method == http.MethodGet && kind != ast.Query:
		return wrap(errQueriesOnly)
	case kind == ast.Subscription:
		return wrap(errSubscription)
	case defers(operation):
		return wrap(errDefer)
	}
	return nil
}

// defers reports whether a document uses @defer. The executor would start what is deferred and wait forever for someone
// to take its result.
func defers(operation *graphql.OperationContext) bool {
	if !strings.Contains(operation.RawQuery, "defer") {
		return false
	}
	return slices.ContainsFunc(operation.Doc.Operations, func(o *ast.OperationDefinition) bool { return deferred(o.SelectionSet) }) ||
		slices.ContainsFunc(operation.Doc.Fragments, func(f *ast.FragmentDefinition) bool { return deferred(f.SelectionSet) })
}

// deferred reports whether a selection set has @defer at any depth. A fragment that it spreads is not followed.
func deferred(set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(selection ast.Selection) bool {
		switch s := selection.(type) {
		case *ast.Field:
			return deferred(s.SelectionSet)
		case *ast.InlineFragment:
			return s.Directives.ForName("defer") != nil || deferred(s.SelectionSet)
		case *ast.FragmentSpread:
			return s.Directives.ForName("defer") != nil
		}
		return false
	})
}

// wrap makes an error what gqlgen takes; errors.As finds it there.
func wrap(err *Error) gqlerror.List {
	return gqlerror.List{{Err: err, Message: err.Message, Extensions: err.Extensions()}}
}
