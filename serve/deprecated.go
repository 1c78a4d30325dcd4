package serve

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
	var names []string
	var size documents.Size
	documents.Each(operation, func(field *ast.Field, _ ast.DirectiveList) {
		if field == nil || field.Definition == nil || !isDeprecated(field.Definition) {
			return
		}
		if name := field.ObjectDefinition.Name + "." + field.Name; !slices.Contains(names, name) {
			names = append(names, name)
			size.Add(name)
		}
	})
	g.parsed.Keep(operation.Doc, key, names, size)
	return names
}
