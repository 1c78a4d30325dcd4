package graph

import (
	"context"
	"errors"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/apierror"
	"pixgraph/request"
	"pixgraph/upstream"
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

// oauthScopes implements the directive @oauthScopes.
func oauthScopes(ctx context.Context, _ any, next graphql.Resolver, sets [][]string) (any, error) {
	if err := checkScopes(ctx, sets); err != nil {
		return nil, err
	}
	return next(ctx)
}

// checkScopes fails if the token of the caller lacks each of the sets of scopes. In forward mode its scopes are
// unknown, and the APIs decide.
func checkScopes(ctx context.Context, sets [][]string) error {
	identity := request.CallOf(ctx).Identity
	if identity == nil {
		return errNoIdentity
	}
	if !identity.ScopesKnown() {
		return nil
	}
	lacking := ""
	for _, set := range sets {
		i := slices.IndexFunc(set, func(scope string) bool { return !identity.HasScope(scope) })
		if i < 0 {
			return nil
		}
		if lacking == "" {
			lacking = set[i]
		}
	}
	return lacksScope(lacking)
}
