package documents

import (
	"slices"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
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

// conditions is Conditions, kept.
func (c *Cache) conditions(operation *graphql.OperationContext) []string {
	key := PlanKey{Operation: operation.Operation, Conditions: conditionsKey}
	if known, ok := c.Plan(operation.Doc, key); ok {
		return known.([]string)
	}
	names := Conditions(operation)
	c.Keep(operation.Doc, key, names, len(names)*int(unsafe.Sizeof("")))
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
func Conditions(operation *graphql.OperationContext) []string {
	c := conditions{document: operation.Doc, entered: map[string]bool{}}
	c.set(operation.Operation.SelectionSet)
	return c.variables
}

// conditions collects variables. It visits each fragment once, since the conditions of a fragment are the same for each
// spread.
type conditions struct {
	document  *ast.QueryDocument
	variables []string
	entered   map[string]bool // fragments by name
}

// set adds the conditions of a selection set.
func (c *conditions) set(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			c.directives(selection.Directives)
			c.set(selection.SelectionSet)
		case *ast.InlineFragment:
			c.directives(selection.Directives)
			c.set(selection.SelectionSet)
		case *ast.FragmentSpread:
			c.directives(selection.Directives)
			if fragment := c.document.Fragments.ForName(selection.Name); fragment != nil && !c.entered[selection.Name] {
				c.entered[selection.Name] = true
				c.set(fragment.SelectionSet)
			}
		}
	}
}

func (c *conditions) directives(directives ast.DirectiveList) {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" && directive.Name != Deferred {
			continue
		}
		condition := directive.Arguments.ForName("if")
		if condition == nil || condition.Value.Kind != ast.Variable {
			continue
		}
		if name := condition.Value.Raw; !slices.Contains(c.variables, name) {
			c.variables = append(c.variables, name)
		}
	}
}
