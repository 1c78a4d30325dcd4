package graph

import (
	"context"
	"errors"
	"slices"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"

	"github.com/99designs/gqlgen/graphql"
)

// errNoIdentity reports a broken invariant: a resolver ran for a request that was not authenticated.
var errNoIdentity = errors.New("no identity in the context")

// lacksScope returns the error for a token without a required scope. It is detected without an upstream call.
func lacksScope(required string) error {
	return &apierror.Error{
		Code: apierror.Forbidden, Message: "token lacks the scope " + required,
		Service: string(upstream.Dispatcher), RequiredScope: required,
	}
}

// scopesDirective declares the scopes that a field needs.
const scopesDirective = "oauthScopes"

// oauthScopes implements the directive @oauthScopes. In forward mode the scopes of the token are unknown, and the
// APIs decide.
func oauthScopes(ctx context.Context, _ any, next graphql.Resolver, sets [][]string) (any, error) {
	identity := CallOf(ctx).Identity
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
