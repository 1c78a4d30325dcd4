package projection_test

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/execute/documents"
	"pixgraph/graph/generated"
	"pixgraph/internal/quota"
)

// oneDeposit is a page of one deposit with a long text.
func oneDeposit(bytes int) []byte {
	return []byte(`{"total":1,"totalPages":1,"currentPage":1,"perPage":100,"data":[{"id":"x","errorMessage":"` + strings.Repeat("x", bytes) + `"}]}`)
}

// TestHeldMemoryIsCharged: until a response is sent, its account is charged for the whole buffer of the data, and no
// longer for the buffers that the data was joined from.
func TestHeldMemoryIsCharged(t *testing.T) {
	const others = 200 << 10 // goroutines, the plan, and what an account takes in advance
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	for name, tt := range map[string]struct {
		document string
		body     []byte
	}{
		"a value longer than the buffer": {`{ deposits { nodes { errorMessage } } }`, oneDeposit(300 << 10)},
		"several root fields":            {`{ a: deposits { nodes { ` + wide + ` } } b: deposits { nodes { ` + wide + ` } } }`, deposits()},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProjector(t, schema, connectionOf(t, tt.body), documents.New(0))
			memory := quota.NewMemory(0)
			account := quota.NewAccount(memory, "caller", quota.Limits{})
			_, data := p.Execute(executed(contextOfDocument(t, schema, tt.document), account))
			if held, _ := memory.Used(); len(data) < 300<<10 || held < int64(cap(data)) || held > int64(cap(data))+others {
				t.Errorf("%d bytes in a buffer of %d, %d are charged", len(data), cap(data), held)
			}
			account.Release()
			if held, _ := memory.Used(); held != 0 {
				t.Errorf("%d bytes were not released", held)
			}
		})
	}
}

// TestLengthOfAnotherResponse: a long response of one caller does not make a short one of another caller fail, for
// which there is enough memory.
func TestLengthOfAnotherResponse(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	ctx := contextOf(t, schema, "errorMessage")
	operation := graphql.GetOperationContext(ctx)
	cache := documents.New(0)
	cache.Add("", operation.RawQuery, operation.Doc)
	if _, data := newProjector(t, schema, connectionOf(t, oneDeposit(300<<10)), cache).Execute(executed(ctx, nil)); len(data) < 300<<10 {
		t.Fatalf("%d bytes", len(data))
	}
	account := quota.NewAccount(quota.NewMemory(256<<10), "caller", quota.Limits{})
	_, data := newProjector(t, schema, connectionOf(t, oneDeposit(5)), cache).Execute(executed(ctx, account))
	if want := `{"deposits":{"nodes":[{"errorMessage":"xxxxx"}]}}`; string(data) != want {
		t.Errorf("%s: %v", data, account.Failed())
	}
}

// TestSelectionsOfPlansAreCounted: the cache counts the selections that the root fields of a plan refer to.
func TestSelectionsOfPlansAreCounted(t *testing.T) {
	const fields, fieldBytes = 900, 16
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	ctx := contextOfDocument(t, schema, "{ deposits { "+strings.Repeat("totalCount ", fields)+"} }")
	operation := graphql.GetOperationContext(ctx)
	cache := documents.New(0)
	document := cache.Add("", operation.RawQuery, operation.Doc)
	newProjector(t, schema, connectionOf(t, oneDeposit(5)), cache).Execute(executed(ctx, nil))
	if _, bytes := cache.Size(); bytes-document < fields*fieldBytes {
		t.Errorf("a plan of %d selections has %d bytes", fields, bytes-document)
	}
}
