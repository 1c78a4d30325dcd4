package projection_test

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
	"pixgraph/internal/quota"
)

// TestDataHasItsOwner: the data of a response is the Data that its sender releases, and a null has no memory to release
// and no room to append to.
func TestDataHasItsOwner(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	response, data := newProjector(t, schema, connectionOf(t, deposits()), documents.New(0)).Execute(executed(contextOf(t, schema, wide), nil))
	if !json.Valid(data) || !bytes.HasPrefix(data, []byte(`{"deposits":{"nodes":[{"id":"`)) || len(data) < 100_000 || &response.Data[0] != &data[0] {
		t.Fatalf("%d bytes: %.100s", len(data), data)
	}
	account := quota.NewAccount(quota.NewMemory(1), "caller", quota.Limits{})
	response, data = newProjector(t, schema, connectionOf(t, deposits()), documents.New(0)).Execute(executed(contextOf(t, schema, wide), account))
	if data != nil || string(response.Data) != "null" || cap(response.Data) > len(response.Data) {
		t.Errorf("without memory: %q, %q with room for %d", data, response.Data, cap(response.Data))
	}
}

// TestIntrospectionFirst: an operation has executed its introspection when its other fields are resolved. So it holds
// none of the goroutines of introspection while it waits for a call.
func TestIntrospectionFirst(t *testing.T) {
	executor := generated.NewExecutableSchema(generated.Config{})
	schema := executor.Schema()
	declared, err := calls.Read(schema)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var resolved []string
	record := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		resolved = append(resolved, name)
	}
	p := projection.New(projection.Config{
		Schema: schema, Calls: declared, Made: generated.Made, Documents: documents.New(0), Executor: executor,
		Resolve: func(_ context.Context, field graphql.CollectedField) projection.Found {
			record(field.Alias)
			return nil
		},
	})
	ctx := contextOfDocument(t, schema, "{ a: deposits { totalCount } b: __schema { types { name } } c: deposits { totalCount } d: __typename }")
	operation := graphql.GetOperationContext(ctx)
	operation.RootResolverMiddleware = func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		defer record(graphql.GetRootFieldContext(ctx).Field.Alias)
		return next(ctx)
	}
	operation.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }
	_, data := p.Execute(executed(ctx, nil))
	if !bytes.HasPrefix(data, []byte(`{"a":null,"b":{"types":[`)) || !bytes.HasSuffix(data, []byte(`]},"c":null,"d":"Query"}`)) {
		t.Errorf("%s", data)
	}
	if len(resolved) != 3 || resolved[0] != "b" {
		t.Errorf("resolved %q", resolved)
	}
}
