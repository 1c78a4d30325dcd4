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
)

// TestDataIsHandedOver: the data is next to the response, which holds nothing that is reused. So an extension may keep
// what the response holds.
func TestDataIsHandedOver(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	p := newProjector(t, schema, connectionOf(t, deposits()), documents.New(0))
	response, data := p.Execute(contextOf(t, schema, wide), nil, nil, nil)
	if !json.Valid(data) || !bytes.HasPrefix(data, []byte(`{"deposits":{"nodes":[{"id":"`)) || len(data) < 100_000 {
		t.Fatalf("%d bytes: %.100s", len(data), data)
	}
	if !projection.IsHandedOver(response) {
		t.Errorf("the response holds %.100s", response.Data)
	}
	kept := response.Data
	want := bytes.Clone(kept)
	data.Release() // with the race detector, this overwrites the data
	if _, later := p.Execute(contextOf(t, schema, narrow), nil, nil, nil); !bytes.Equal(kept, want) {
		t.Errorf("after %.100s the response holds %.100s", later, kept)
	}
	response.Data = bytes.Clone(response.Data)
	if projection.IsHandedOver(response) {
		t.Error("data that an extension put into the response is taken for what was handed over")
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
	_, data := p.Execute(ctx, nil, nil, nil)
	if !bytes.HasPrefix(data, []byte(`{"a":null,"b":{"types":[`)) || !bytes.HasSuffix(data, []byte(`]},"c":null,"d":"Query"}`)) {
		t.Errorf("%s", data)
	}
	if len(resolved) != 3 || resolved[0] != "b" {
		t.Errorf("resolved %q", resolved)
	}
}
