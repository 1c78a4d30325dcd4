package graph

import (
	"maps"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"pixgraph/graph/execute/documents"
)

// deferText declares @defer as its draft does. gqlparser's declaration accepts null for `if`.
const deferText = `"""
The fragment may be sent after the rest of the response, if the client accepts responses in parts. The gateway defers it
only if it makes calls that the rest does not make.
"""
directive @defer("Whether the fragment may be sent later." if: Boolean! = true, "A name for its parts, unique in the document." label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT`

// declareDefer replaces gqlparser's declaration of @defer.
func declareDefer(schema *ast.Schema) error {
	parsed, err := parser.ParseSchema(&ast.Source{Name: "defer", Input: deferText})
	if err != nil {
		return err
	}
	schema.Directives = maps.Clone(schema.Directives)
	schema.Directives[documents.Defer] = parsed.Directives[0]
	return nil
}
