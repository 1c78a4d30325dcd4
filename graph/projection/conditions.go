package projection

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// conditions finds the variables that decide by @skip and @include what is selected of one root field, in the operation
// itself and in the fragments that it spreads. A fragment is entered once, as its conditions are the same wherever it is
// spread.
type conditions struct {
	document    *ast.QueryDocument
	responseKey string
	variables   []string        // each once, in the order in which they are found
	entered     map[string]bool // fragments by name: whether the root field is in it
}

// conditionsOf returns the variables for the root field of a response key, without those that only decide about others.
func conditionsOf(operation *graphql.OperationContext, responseKey string) []string {
	c := conditions{document: operation.Doc, responseKey: responseKey, entered: map[string]bool{}}
	c.root(operation.Operation.SelectionSet)
	return c.variables
}

// root looks for the fields of the response key, and reports whether there is one. The conditions around it count too.
func (c *conditions) root(set ast.SelectionSet) (found bool) {
	for _, selection := range set {
		var (
			here       bool
			directives ast.DirectiveList
		)
		switch selection := selection.(type) {
		case *ast.Field:
			if here = selection.Alias == c.responseKey; here {
				c.set(selection.SelectionSet)
			}
			directives = selection.Directives
		case *ast.InlineFragment:
			here, directives = c.root(selection.SelectionSet), selection.Directives
		case *ast.FragmentSpread:
			met := false
			if here, met = c.entered[selection.Name]; !met {
				if fragment := c.enter(selection.Name); fragment != nil {
					here = c.root(fragment.SelectionSet)
					c.entered[selection.Name] = here
				}
			}
			directives = selection.Directives
		}
		if here {
			c.directives(directives)
			found = true
		}
	}
	return found
}

// set takes the conditions of a whole selection set.
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
			if _, met := c.entered[selection.Name]; met {
				continue
			}
			if fragment := c.enter(selection.Name); fragment != nil {
				c.set(fragment.SelectionSet)
			}
		}
	}
}

// enter returns a fragment, once. No field leads back to the root type, so that a fragment is entered either by root or by
// set.
func (c *conditions) enter(name string) *ast.FragmentDefinition {
	c.entered[name] = false
	return c.document.Fragments.ForName(name)
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

// valuesOf are the values of Boolean variables as a part of a key.
func valuesOf(variables []string, values map[string]any) string {
	if len(variables) == 0 {
		return ""
	}
	digits := make([]byte, len(variables))
	for i, name := range variables {
		digits[i] = '0'
		if on, _ := values[name].(bool); on {
			digits[i] = '1'
		}
	}
	return string(digits)
}
