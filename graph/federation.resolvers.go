package graph

import (
	"context"
	"pixgraph/graph/model"
	"pixgraph/upstream"

	"github.com/99designs/gqlgen/graphql"
)

func (r *queryResolver) Entities(ctx context.Context, representations []any) ([]upstream.AnyResource, error) {
	return fetchEach(ctx, representations, represented), nil
}

func (r *queryResolver) Service(ctx context.Context) (model.Service, error) {
	if graphql.GetOperationContext(ctx).DisableIntrospection {
		return model.Service{}, ErrIntrospection
	}
	return model.Service{SDL: r.sdl}, nil
}
