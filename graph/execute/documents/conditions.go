package documents

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/syntax"
)

// conditionsKey is the PlanKey.Conditions under which the names of the variables are cached. It differs from the values
// of variables, which are digits.
const conditionsKey = "names"

// Key returns the key of what is kept for an operation and the values of its Conditions.
func (c *Cache) Key(operation *graphql.OperationContext) PlanKey {
	key := PlanKey{Operation: operation.Operation}
	if len(operation.Operation.VariableDefinitions) > 0 {
		key.Conditions = valuesOf(c.conditions(operation), operation.Variables)
	}
	return key
}

// conditions returns Conditions of the operation, from the cache if possible.
func (c *Cache) conditions(operation *graphql.OperationContext) []string {
	key := PlanKey{Operation: operation.Operation, Conditions: conditionsKey}
	if known, ok := c.Plan(operation.Doc, key); ok {
		return known.([]string)
	}
	names := Conditions(operation)
	c.Keep(operation.Doc, key, names, 0)
	return names
}

// valuesOf returns the values of Boolean variables as part of a key.
func valuesOf(variables []string, values map[string]any) string {
	digits := make([]byte, len(variables))
	for i, name := range variables {
		digits[i] = '0'
		if on, _ := values[name].(bool); on {
			digits[i] = '1'
		}
	}
	return string(digits)
}

// Conditions returns the names of the variables in @skip, @include and @defer of an operation and the fragments that it
// spreads, distinct and in the order of the document.
func Conditions(operation *graphql.OperationContext) (names []string) {
	Each(operation, func(_ *ast.Field, directives ast.DirectiveList) {
		for _, directive := range directives {
			if directive.Name != "skip" && directive.Name != "include" && directive.Name != Deferred {
				continue
			}
			condition := directive.Arguments.ForName("if")
			if condition != nil && condition.Value.Kind == ast.Variable && !slices.Contains(names, condition.Value.Raw) {
				names = append(names, condition.Value.Raw)
			}
		}
	})
	return names
}

// Each calls visit for each selection of an operation with its directives, in the order of the document: a field, or
// nil for a fragment. It enters each named fragment once, since what is in it is the same for each spread.
func Each(operation *graphql.OperationContext, visit func(field *ast.Field, directives ast.DirectiveList)) {
	entered := map[string]bool{}
	var each func(ast.Selection, ast.DirectiveList)
	each = func(selection ast.Selection, directives ast.DirectiveList) {
		field, _ := selection.(*ast.Field)
		visit(field, directives)
		if spread, ok := selection.(*ast.FragmentSpread); ok && !entered[spread.Name] {
			entered[spread.Name] = true
			if fragment := operation.Doc.Fragments.ForName(spread.Name); fragment != nil {
				syntax.All(fragment.SelectionSet, each)
			}
		}
	}
	syntax.All(operation.Operation.SelectionSet, each)
}
