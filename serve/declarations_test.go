package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
	"pixgraph/sandbox/ledger"
)

// The tests run each field that makes calls over the sandbox and compare its calls with its declaration in the schema.

// declared are the fields that make calls, from their declarations in the schema.
func declared(t testing.TB, schema *ast.Schema) calls.Fields {
	t.Helper()
	fields, err := calls.Read(schema)
	must(t, err)
	return fields
}

// records are the records of a type in the sandbox.
func (g *gateway) records(typeName string) []*ledger.Entry {
	g.T.Helper()
	for _, kind := range ledger.Kinds() {
		if strings.EqualFold(kind.String(), typeName) {
			return g.Box.Ledger().List(kind)
		}
	}
	g.T.Fatalf("the sandbox has no %s", typeName)
	return nil
}

// selectionOf is a declared field with the ids of records of the sandbox as arguments.
func (g *gateway) selectionOf(definition *ast.FieldDefinition, field *calls.Field) string {
	g.T.Helper()
	typeName := field.Type
	if field.PagesArgument != "" {
		return definition.Name
	}
	if field.Form == calls.Other { // an object around the list of nodes
		typeName = g.schema().Types[typeName].Fields.ForName("nodes").Type.Name()
	}
	var arguments []string
	for _, argument := range definition.Arguments {
		switch argument.Name {
		case "id":
			arguments = append(arguments, fmt.Sprintf("id: %q", g.records(typeName)[0].ID))
		case field.SlicingArgument:
			entries := g.records(typeName)
			arguments = append(arguments, fmt.Sprintf("%s: [%q, %q]", argument.Name, entries[0].ID, entries[1].ID))
		}
	}
	if definition.Arguments.ForName("timeoutSeconds") != nil {
		arguments = append(arguments, "until: ["+g.records(typeName)[0].Status+"]")
	}
	if arguments == nil {
		return definition.Name
	}
	return definition.Name + "(" + strings.Join(arguments, ", ") + ")"
}

// wantCost runs an operation and fails the test if it makes no calls, or more than its cost.
func (g *gateway) wantCost(document string) response {
	g.T.Helper()
	g.Box.ResetCalls()
	a := g.QueryWith(http.Header{limits.HeaderCost: {"1"}}, document).WantOK()
	var shown struct{ Extensions struct{ Cost request.Cost } }
	must(g.T, json.Unmarshal(a.Body, &shown))
	if made, cost := len(g.Box.Calls()), shown.Extensions.Cost.UpstreamCalls; made < 1 || made > cost {
		g.T.Errorf("%d calls, and a cost of %d", made, cost)
	}
	return a
}

// TestRootFieldsAreCharged: every root field that makes calls makes no more than its cost.
func TestRootFieldsAreCharged(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		schema := g.schema()
		for definition, field := range declared(t, schema) {
			if schema.Query.Fields.ForName(definition.Name) != definition {
				continue
			}
			g.row(definition.Name, func(t testing.TB, g *gateway) {
				if a := g.wantCost("{ " + g.selectionOf(definition, field) + " { __typename } }"); a.At(definition.Name) == nil {
					t.Errorf("%s", a.Body)
				}
			})
		}
	})
}

// TestLinksAreCharged: every field of a record that makes calls makes no more than its cost. A field of a record
// without a declaration makes no calls.
func TestLinksAreCharged(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		schema := g.schema()
		fields := declared(t, schema)
		for rootDefinition, root := range fields {
			if root.Form != calls.Record || schema.Query.Fields.ForName(rootDefinition.Name) != rootDefinition {
				continue
			}
			for _, definition := range schema.Types[root.Type].Fields {
				field := fields[definition]
				if field == nil {
					continue
				}
				g.row(root.Type+"."+definition.Name, func(_ testing.TB, g *gateway) {
					g.wantCost("{ " + g.selectionOf(rootDefinition, root) + " { " + g.selectionOf(definition, field) + " { __typename } } }")
				})
			}
			g.row(root.Type+" without links", func(_ testing.TB, g *gateway) {
				g.wantCost("{ " + g.selectionOf(rootDefinition, root) + " { " + allFields(schema, root.Type) + " } }")
				g.WantCalls(1, g.Token)
			})
		}
	})
}
