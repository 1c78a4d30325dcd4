package graph

import (
	"context"
	"pixgraph/upstream"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/plugin/federation/fedruntime"
)

func (r *queryResolver) Entities(ctx context.Context, representations []any) ([]upstream.AnyResource, error) {
	return fetchEach(ctx, representations, represented), nil
}

func (r *queryResolver) Service(ctx context.Context) (fedruntime.Service, error) {
	if graphql.GetOperationContext(ctx).DisableIntrospection {
		return fedruntime.Service{}, ErrIntrospection
	}
	return fedruntime.Service{SDL: r.sdl}, nil
}
