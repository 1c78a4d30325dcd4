package pipeline_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/calls"
	"pixgraph/graph/limits"
	"pixgraph/upstream/sandbox/ledger"
)

// What the schema declares of the fields that make calls must be what they do: each is run over the sandbox.

// declared are the fields that make calls, as the schema declares them.
func declared(t testing.TB, schema *ast.Schema) calls.Fields {
	t.Helper()
	fields, err := calls.Read(schema)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// records are the records of a type in the sandbox.
func (g *gateway) records(typeName string) []*ledger.Entry {
	g.T.Helper()
	l := g.Box.Ledger()
	switch typeName {
	case "Withdrawal":
		return l.Withdrawals()
	case "Transaction":
		return l.Transactions()
	case "Notification":
		return l.Notifications()
	default:
		g.T.Fatalf("no record of %s is known: add its list", typeName)
		return nil
	}
}

// call is a declared field with arguments that lead to records of the sandbox.
func (g *gateway) call(definition *ast.FieldDefinition, field *calls.Field) string {
	g.T.Helper()
	typeName := field.Type
	if field.Form == calls.Other { // around the records of its list of nodes
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
	if arguments == nil {
		return definition.Name
	}
	return definition.Name + "(" + strings.Join(arguments, ", ") + ")"
}

// costs runs an operation, and fails the test where it leads to more calls than its cost.
func (g *gateway) costs(document string) response {
	g.T.Helper()
	g.Box.ResetCalls()
	a := g.QueryWith(http.Header{limits.HeaderCost: {"1"}}, document).WantOK()
	var told struct{ Extensions struct{ Cost limits.Cost } }
	must(g.T, json.Unmarshal(a.Body, &told))
	if made, cost := len(g.Box.Calls()), told.Extensions.Cost.UpstreamCalls; made < 1 || made > cost {
		g.T.Errorf("%d calls for a cost of %d", made, cost)
	}
	return a
}

// TestRootFieldsTakeTheFastPath: every root field that makes calls offers what it found to the fast path, which answers it.
func TestRootFieldsTakeTheFastPath(t *testing.T) {
	g := start(t)
	schema := g.schema()
	for definition, field := range declared(t, schema) {
		if schema.Query.Fields.ForName(definition.Name) != definition {
			continue
		}
		t.Run(definition.Name, func(t *testing.T) {
			g := g.within(t)
			before := g.Handler.Stats()
			if a := g.costs("{ " + g.call(definition, field) + " { __typename } }"); a.At(definition.Name) == nil {
				t.Errorf("%s", a.Body)
			}
			after := g.Handler.Stats()
			fast, executor := after.FastFields-before.FastFields, after.ExecutorFields-before.ExecutorFields
			if *reference {
				fast, executor = executor, fast
			}
			if fast != 1 || executor != 0 {
				t.Errorf("%d root fields by the fast path, %d by gqlgen: does its resolver return through listed, loaded or allLoaded?", fast, executor)
			}
		})
	}
}

// TestLinksAreCharged: every field of a record that makes calls makes no more than it costs, on the fast path too where it
// leads to one record. A field of a record without a declaration makes none.
func TestLinksAreCharged(t *testing.T) {
	g := start(t)
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
			t.Run(root.Type+"."+definition.Name, func(t *testing.T) {
				g := g.within(t)
				before := g.Handler.Stats().ExecutorFields
				g.costs("{ " + g.call(rootDefinition, root) + " { " + g.call(definition, field) + " { __typename } } }")
				if left := g.Handler.Stats().ExecutorFields > before; left != (*reference || field.ID == nil) {
					t.Errorf("left to gqlgen: %t", left)
				}
			})
		}
		t.Run(root.Type+" without links", func(t *testing.T) {
			g := g.within(t)
			g.costs("{ " + g.call(rootDefinition, root) + " { " + allFields(schema, root.Type) + " } }")
			g.WantCalls(1, g.Token)
		})
	}
}
