package serve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/internal/quota"
)

// The data that a request reads from the APIs, the size of its response, and the memory that all requests hold are
// bounded while data is read and written: a document of 2 KB can select a response of 100 MB.

// boundResponse replaces a response that could not be written completely. If the response is too long, its data becomes
// null, with an error for the limit. If there is not enough memory for it, the request is rejected with a 503, as by
// admission.
func (p presenter) boundResponse(ctx context.Context, execution *graph.Execution, response *graphql.Response) *graphql.Response {
	failed := execution.Account.Failed()
	if failed == nil {
		return response
	}
	replaced := &graphql.Response{Errors: gqlerror.List{p.show(ctx, nil, failed)}, Extensions: response.Extensions}
	if failed != quota.ErrExhausted { //nolint:errorlint // Failed returns the value itself
		replaced.Data = []byte("null")
	}
	return replaced
}

// fieldBytes is the memory that gqlgen holds for a field until the response is written, in addition to the value: its
// slot and the closure that writes it.
const fieldBytes = 64

// boundField is the interceptor of the fields that gqlgen executes, which are those of introspection: it resolves them
// within the limits of the response, and in the operation's turn.
func boundField(ctx context.Context, next graphql.Resolver) (any, error) {
	execution := graph.ExecutionOf(ctx)
	execution.Turn.Ensure(ctx)
	account := execution.Account
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
	bytes := key + responseBytes(value)
	if !account.Write(bytes, fieldBytes+bytes) {
		return nil, account.Failed()
	}
	return value, nil
}

// responseBytes estimates the bytes of a value in the response, without the fields of objects, which are counted
// separately.
func responseBytes(value any) int {
	const other = 8
	switch value := value.(type) {
	case string:
		return len(value) + len(`""`)
	case *string:
		if value != nil {
			return len(*value) + len(`""`)
		}
	}
	return other
}
