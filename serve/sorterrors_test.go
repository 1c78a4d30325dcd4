package serve

import (
	"fmt"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph"
)

// TestLayoutsOfEntities: errors of representations with invented types need no layouts of these types.
func TestLayoutsOfEntities(t *testing.T) {
	schema, err := graph.NewSchema(nil, graph.Features{Federation: true})
	if err != nil {
		t.Fatal(err)
	}
	document, errs := gqlparser.LoadQueryWithRules(schema.Schema(),
		`query($r: [_Any!]!) { _entities(representations: $r) { __typename ... on Transaction { amount } } }`, rules.NewDefaultRules())
	if errs != nil {
		t.Fatal(errs)
	}
	representations := []any{map[string]any{"__typename": "Transaction"}}
	for i := range 100 {
		representations = append(representations, map[string]any{"__typename": fmt.Sprint("invented", i)})
	}
	operation := &graphql.OperationContext{
		Doc: document, Operation: document.Operations[0], Variables: map[string]any{"r": representations},
	}
	root := newLayout(operation, operation.Operation.SelectionSet, "Query")
	for i := range representations {
		root.locate(operation, graph.RaisedError{Err: &gqlerror.Error{Path: ast.Path{ast.PathName("_entities"), ast.PathIndex(i)}}})
	}
	below := ast.Path{ast.PathName("_entities"), ast.PathIndex(0), ast.PathName("amount")}
	if got := root.locate(operation, graph.RaisedError{Err: &gqlerror.Error{Path: below}}); fmt.Sprint(got.place) != "[0 0 1]" {
		t.Errorf("%v is at %v", below, got.place)
	}
	if layouts := len(root["_entities"].below); layouts > 2 {
		t.Errorf("%d layouts", layouts)
	}
}
