package documents

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Conditions returns the names of the variables in @skip and @include of an operation and the fragments that it
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
		if directive.Name != "skip" && directive.Name != "include" {
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
