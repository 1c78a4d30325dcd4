package pipeline

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/documents"
)

// hasDeprecated reports whether a schema has a deprecated field. Without one, no operation is searched for them.
func hasDeprecated(schema *ast.Schema) bool {
	for _, definition := range schema.Types {
		if slices.ContainsFunc(definition.Fields, isDeprecated) {
			return true
		}
	}
	return false
}

func isDeprecated(field *ast.FieldDefinition) bool {
	return field.Directives.ForName("deprecated") != nil
}

// deprecatedFields returns the deprecated fields that an operation selects, such as Deposit.amount, in the order of its
// document, also those that @skip excludes. The documents keep them.
func (g *Gateway) deprecatedFields(operation *graphql.OperationContext) []string {
	if !g.deprecates {
		return nil
	}
	key := documents.PlanKey{Operation: operation.Operation, Conditions: "deprecated"}
	if known, ok := g.parsed.Plan(operation.Doc, key); ok {
		return known.([]string)
	}
	found := deprecated{document: operation.Doc, entered: map[string]bool{}}
	found.set(operation.Operation.SelectionSet)
	bytes := 0
	for _, name := range found.names {
		bytes += 2*len(name) + 16 // the header of a string
	}
	g.parsed.Keep(operation.Doc, key, found.names, bytes)
	return found.names
}

// deprecated collects the deprecated fields of an operation. It visits each fragment once.
type deprecated struct {
	document *ast.QueryDocument
	names    []string
	entered  map[string]bool // fragments by name
}

func (d *deprecated) set(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			if selection.Definition != nil && isDeprecated(selection.Definition) {
				if name := selection.ObjectDefinition.Name + "." + selection.Name; !slices.Contains(d.names, name) {
					d.names = append(d.names, name)
				}
			}
			d.set(selection.SelectionSet)
		case *ast.InlineFragment:
			d.set(selection.SelectionSet)
		case *ast.FragmentSpread:
			if !d.entered[selection.Name] {
				d.entered[selection.Name] = true
				d.set(d.document.Fragments.ForName(selection.Name).SelectionSet)
			}
		}
	}
}
