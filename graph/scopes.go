package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/auth"
)

// scopeError says that the caller's token lacks a scope. It is found out here, without a call.
type scopeError struct{ required string }

func (e *scopeError) Error() string { return "the token lacks the scope " + e.required }

// requiresScopes is the directive of that name. Where the caller's scopes are not known, in forward mode, the APIs
// decide.
func requiresScopes(ctx context.Context, _ any, next graphql.Resolver, sets [][]string) (any, error) {
	identity, ok := auth.FromContext(ctx)
	if !ok {
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
	return nil, &scopeError{lacking}
}
