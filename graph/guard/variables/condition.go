package variables

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// isCondition reports whether a variable is the condition of an @skip or @include in the operation, including the fragments
// that it spreads.
func isCondition(operation *graphql.OperationContext, variable string) bool {
	s := search{operation.Doc, variable, map[string]bool{}}
	return s.set(operation.Operation.SelectionSet)
}

// search looks for a variable in conditions. It visits each fragment once.
type search struct {
	document *ast.QueryDocument
	variable string
	entered  map[string]bool // fragments by name
}

func (s *search) set(set ast.SelectionSet) bool {
	for _, selection := range set {
		var (
			directives ast.DirectiveList
			within     ast.SelectionSet
		)
		switch selection := selection.(type) {
		case *ast.Field:
			directives, within = selection.Directives, selection.SelectionSet
		case *ast.InlineFragment:
			directives, within = selection.Directives, selection.SelectionSet
		case *ast.FragmentSpread:
			directives = selection.Directives
			if fragment := s.document.Fragments.ForName(selection.Name); fragment != nil && !s.entered[selection.Name] {
				s.entered[selection.Name] = true
				within = fragment.SelectionSet
			}
		}
		if s.condition(directives) || s.set(within) {
			return true
		}
	}
	return false
}

func (s *search) condition(directives ast.DirectiveList) bool {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		condition := directive.Arguments.ForName("if")
		if condition != nil && condition.Value.Kind == ast.Variable && condition.Value.Raw == s.variable {
			return true
		}
	}
	return false
}
