package graph

import (
	"context"
	"errors"
	"slices"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"

	"github.com/99designs/gqlgen/graphql"
)

// errNoIdentity is a broken invariant: a resolver ran for a request that was not authenticated.
var errNoIdentity = errors.New("no identity in the context")

// lacksScope says that the caller's token lacks a scope. It is found out here, without a call.
func lacksScope(required string) error {
	return &apierror.Error{
		Code: apierror.Forbidden, Message: "the token lacks the scope " + required,
		Service: string(upstream.Dispatcher), RequiredScope: required,
	}
}

// requiresScopes is the directive of that name. Where the caller's scopes are not known, in forward mode, the APIs
// decide.
func requiresScopes(ctx context.Context, _ any, next graphql.Resolver, sets [][]string) (any, error) {
	identity := RequestOf(ctx).Identity
	if identity == nil {
		return nil, errNoIdentity
	}
	if !identity.ScopesKnown() {
		return next(ctx)
	}
	lacking := ""
	for _, set := range sets {
		i := slices.IndexFunc(set, func(scope string) bool { return !identity.HasScope(scope) })
		if i < 0 {
			return next(ctx)
		}
		if lacking == "" {
			lacking = set[i]
		}
	}
	return nil, lacksScope(lacking)
}
