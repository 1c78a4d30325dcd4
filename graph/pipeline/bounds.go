package pipeline

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// What a request reads from the APIs, what it answers, and what all requests hold together is bounded, in bytes, while it is
// read and written: a document of 2 KB can ask for an answer of 100 MB.

// boundAnswer is the interceptor that replaces an answer that could not be written as a whole. One that is too long is data
// of null, with the limit; one that there is no memory for was not answered at all, and is refused as too many operations
// are.
func (p presenter) boundAnswer(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	failed := graph.RequestOf(ctx).Account.Failed()
	if failed == nil || response == nil {
		return response
	}
	replaced := &graphql.Response{Errors: gqlerror.List{p.show(ctx, nil, failed)}, Extensions: response.Extensions}
	if failed != quota.ErrExhausted { //nolint:errorlint // Failed returns it itself
		replaced.Data = []byte("null")
	}
	return replaced
}

// contained is an interceptor of root fields that recovers. gqlgen recovers from panics of resolvers, but not of interceptors,
// which it calls in goroutines of their own where there are several root fields.
func (p presenter) contained(intercept graphql.RootFieldMiddleware) graphql.RootFieldMiddleware {
	return func(ctx context.Context, next graphql.RootResolver) (answer graphql.Marshaler) {
		defer func() {
			if panicked := recover(); panicked != nil {
				path := ast.Path{ast.PathName(graphql.GetRootFieldContext(ctx).Field.Alias)}
				graphql.AddError(ctx, gqlerror.WrapPath(path, p.recover(ctx, panicked)))
				answer = graphql.Null
			}
		}()
		return intercept(ctx, next)
	}
}

// fieldBytes is what gqlgen holds for a field that it answers until the answer is written, besides its value: its place, and
// the closure that writes it.
const fieldBytes = 64

// boundField resolves a field that gqlgen answers, within the bounds of the answer. The fast path bounds itself.
func boundField(ctx context.Context, next graphql.Resolver) (any, error) {
	account := graph.RequestOf(ctx).Account
	if account == nil {
		return next(ctx)
	}
	if failed := account.Failed(); failed != nil {
		return nil, failed
	}
	value, err := next(ctx)
	if err != nil {
		return value, err
	}
	key := 0
	if field := graphql.GetFieldContext(ctx); field != nil && field.Field.Field != nil {
		key = len(field.Field.Alias) + len(`"":,`)
	}
	bytes := key + answerBytes(value)
	if !account.Write(bytes, fieldBytes+bytes) {
		return nil, account.Failed()
	}
	return value, nil
}

// answerBytes is about how many bytes a value takes in an answer, without the fields of objects: those are counted one by
// one.
func answerBytes(value any) int {
	const scalar = 8
	switch value := value.(type) {
	case upstream.Text:
		return len(value)
	case upstream.JSON:
		return len(value)
	case upstream.Decimal:
		return len(value)
	case string:
		return len(value) + len(`""`)
	case *string:
		if value != nil {
			return len(*value) + len(`""`)
		}
	case []*string:
		bytes := len(`[]`)
		for _, text := range value {
			if text != nil {
				bytes += len(*text) + len(`"",`)
			}
		}
		return bytes
	}
	return scalar
}
