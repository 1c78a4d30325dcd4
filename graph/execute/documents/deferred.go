package documents

import "github.com/vektah/gqlparser/v2/ast"

// gqlgen would collect the fields of @defer in a way of its own. So prepare gives the directive another name, which is
// not valid in GraphQL: code that does not know it executes a deferred fragment as part of the selection set around it.
const (
	// Defer is the name of the directive in documents of clients.
	Defer = "defer"
	// Deferred is its name in a document of a cache.
	Deferred = "@defer"
)

// Defers reports whether the document of an operation, which was added to a cache, has deferred fragments. They may be
// inactive, or in another operation.
func Defers(operation *ast.OperationDefinition) bool {
	return operation.Directives.ForName(Deferred) != nil
}

// markDeferred marks the operations of a document with deferred fragments, for Defers.
func markDeferred(document *ast.QueryDocument) {
	for _, operation := range document.Operations {
		if !Defers(operation) {
			operation.Directives = append(operation.Directives, &ast.Directive{Name: Deferred})
		}
	}
}
