package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/scalar"
	"pixgraph/upstream"
)

// ErrIntrospection is the error of a field that shows the schema, if clients cannot read it.
var ErrIntrospection = &apierror.Error{Code: apierror.Forbidden, Message: "introspection is disabled"}

// entities resolves Query._entities: it fetches the records of representations, in their order. Each record is fetched
// once. One that cannot be fetched yields nil at its index, and an error with the path of that element. The cost of the
// operation bounds their number.
func entities(ctx context.Context, representations []any) []upstream.AnyResource {
	waiting := make([]func() (upstream.AnyResource, error), len(representations))
	records := make([]upstream.AnyResource, len(representations))
	for i, representation := range representations {
		wait, err := represented(ctx, representation, func() ast.Path { return append(graphql.GetPath(ctx), ast.PathIndex(i)) })
		if err != nil {
			paging.AddElementError(ctx, i, err)
		}
		waiting[i] = wait
	}
	for i, wait := range waiting {
		if wait == nil {
			continue
		}
		record, err := wait()
		if err != nil {
			paging.AddElementError(ctx, i, err)
			continue
		}
		records[i] = record
	}
	return records
}

// represented starts to fetch the record of a representation for the element at a path, and returns a function that
// waits for it. Members other than the type and the id are ignored: routers add those that they need themselves.
func represented(ctx context.Context, representation any, at func() ast.Path) (func() (upstream.AnyResource, error), error) {
	entries := ExecutionOf(ctx).ofOperation().loaders.lookups.entries
	i := slices.IndexFunc(entries, func(e entry) bool { return e.typeName() == calls.TypeOf(representation) })
	if i < 0 {
		return nil, apierror.Input("__typename", "must be the name of a type of _Entity")
	}
	members, _ := representation.(map[string]any)
	id, err := scalar.UnmarshalID(members["id"])
	if err != nil {
		return nil, apierror.Input("id", err.Error())
	}
	return entries[i].entity(ctx, id, at)
}

// entity starts to fetch a record as an entity, and returns a function that waits for it.
func (l *lookup[T]) entity(ctx context.Context, id string, at func() ast.Path) (func() (upstream.AnyResource, error), error) {
	if l.scopes != nil {
		if err := checkScopes(ctx, l.scopes); err != nil {
			return nil, err
		}
	}
	wait := loaderOf[T](ctx).start(ctx, id, at)
	return func() (upstream.AnyResource, error) {
		record, err := wait()
		entity, _ := any(record).(upstream.AnyResource)
		return entity, err
	}, nil
}
