package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/syntax"
)

// TestRepeatedFragments: spreads that repeat each other are visited once, as in execution. A fragment that is not
// included where it is first spread is visited where it is.
func TestRepeatedFragments(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: "type Query { a: Int }"})
	var doubling strings.Builder
	for i := range 20 {
		fmt.Fprintf(&doubling, "fragment f%d on Query { ...f%d ...f%[2]d } ", i, i+1)
	}
	text := "{ ...f20 @skip(if: true) ...f0 ...f0 } " + doubling.String() + "fragment f20 on Query { ... { a } }"
	document := gqlparser.MustLoadQueryWithRules(schema, text, nil)
	fields, selections := 0, 0
	var object syntax.Object
	for range 2 {
		object.Fields(document.Operations[0].SelectionSet, func(directives ast.DirectiveList) bool {
			selections++
			return len(directives) == 0
		}, func(*ast.Field) { fields++ })
	}
	if fields != 1 || selections > 50 {
		t.Errorf("%d fields and %d selections", fields, selections)
	}
}
