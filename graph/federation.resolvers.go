package graph

import (
	"context"
	"pixgraph/graph/execute/projection"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/plugin/federation/fedruntime"
)

func (r *queryResolver) Entities(ctx context.Context, representations []any) ([]projection.Entity, error) {
	return entities(ctx, representations), nil
}

func (r *queryResolver) Service(ctx context.Context) (fedruntime.Service, error) {
	if graphql.GetOperationContext(ctx).DisableIntrospection {
		return fedruntime.Service{}, ErrIntrospection
	}
	return fedruntime.Service{SDL: r.sdl}, nil
}
