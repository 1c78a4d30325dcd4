package graph

import (
	"context"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/calls"
	"pixgraph/graph/scalar"
	"pixgraph/upstream"
)

// ErrIntrospection is the error of a field that shows the schema, if clients cannot read it.
var ErrIntrospection = &apierror.Error{Code: apierror.Forbidden, Message: "introspection is disabled"}

// represented starts to fetch the record of a representation for the element of Query._entities at a path, and returns
// a function that waits for it. Each record is fetched once, and the cost of the operation bounds their number. Members
// other than the type and the id are ignored: routers add those that they need themselves.
func represented(ctx context.Context, representation any, at func() ast.Path) func() (upstream.AnyResource, error) {
	entries := ExecutionOf(ctx).ofOperation().loaders.lookups.entries
	i := slices.IndexFunc(entries, func(e entry) bool { return e.typeName() == calls.TypeOf(representation) })
	if i < 0 {
		return noEntity(apierror.Input("__typename", "must be the name of a type of _Entity"))
	}
	members, _ := representation.(map[string]any)
	id, err := scalar.UnmarshalID(members["id"])
	if err != nil {
		return noEntity(apierror.Input("id", err.Error()))
	}
	return entries[i].entity(ctx, id, at)
}

func noEntity(err error) func() (upstream.AnyResource, error) {
	return func() (upstream.AnyResource, error) { return nil, err }
}

// entity starts to fetch a record as an entity, and returns a function that waits for it.
func (l *lookup[T]) entity(ctx context.Context, id string, at func() ast.Path) func() (upstream.AnyResource, error) {
	if l.scopes != nil {
		if err := checkScopes(ctx, l.scopes); err != nil {
			return noEntity(err)
		}
	}
	wait := loaderOf[T](ctx).start(ctx, id, at)
	return func() (upstream.AnyResource, error) {
		record, err := wait()
		entity, _ := any(record).(upstream.AnyResource)
		return entity, err
	}
}
