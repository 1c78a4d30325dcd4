package serve

import (
	"slices"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/documents"
)

// TestDeprecatedFields: the deprecated fields of an operation are found once each, in fragments too. Today's schema has
// none.
func TestDeprecatedFields(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { payment: Payment old: Int @deprecated }
		type Payment { id: ID! amount: Int @deprecated(reason: "use cents") cents: Int payer: Payer }
		type Payer { name: String @deprecated }`})
	if !hasDeprecated(schema) || hasDeprecated(gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Int }`})) {
		t.Error("wrong")
	}
	const text = `query A { payment { ...P a: amount ... { amount } payer { ...N } } old } query B { payment { cents __typename } }
		fragment P on Payment { amount payer { ...N } } fragment N on Payer { name }`
	document, errs := gqlparser.LoadQueryWithRules(schema, text, nil)
	if errs != nil {
		t.Fatal(errs)
	}
	g := &Gateway{parsed: documents.New(0), deprecates: true}
	g.parsed.Add("", text, document)
	for name, want := range map[string][]string{"A": {"Payment.amount", "Payer.name", "Query.old"}, "B": nil} {
		operation := &graphql.OperationContext{Doc: document, Operation: document.Operations.ForName(name)}
		for range 2 {
			if got := g.deprecatedFields(operation); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
}
