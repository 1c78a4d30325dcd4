package run

import (
	"cmp"
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
)

// present is the default of Config.Present.
func present(_ context.Context, err error) *gqlerror.Error {
	return cmp.Or(apierror.Of(err), ErrInternal).Render(nil, "")
}

// PresentPanic lets the executor log and mask a panic, as for resolvers.
func PresentPanic(ctx context.Context, exec graphql.GraphExecutor, panicked any) (shown *gqlerror.Error) {
	defer func() {
		if recover() != nil || shown == nil {
			shown = present(ctx, ErrInternal)
		}
	}()
	if presenter, ok := exec.(interface {
		PresentRecoveredError(context.Context, any) error
	}); ok {
		errors.As(presenter.PresentRecoveredError(ctx, panicked), &shown)
	}
	return shown
}
