package limits

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"
)

// definition is an operation or a fragment.
type definition struct {
	set     ast.SelectionSet
	nodes   int                   // nodes in it, without those of the fragments that it spreads
	spreads []*ast.FragmentSpread // the spreads in it
	inline  []ast.SelectionSet    // the selection sets of the inline fragments in it

	begun bool
	size  *size // with its fragments expanded; nil until it is known
}

// size is the size of an expanded selection set.
type size struct{ fields, derived, depth int }

func (s *size) add(other size) {
	s.fields = plus(s.fields, other.fields)
	s.derived = plus(s.derived, other.derived)
	s.depth = max(s.depth, other.depth)
}

// fragments are a document's fragments by name. Of several with the same name it has the first, as gqlparser does.
type fragments map[string]*definition

// survey counts the elements of a document, in one visit of each node. The size of a fragment is added wherever it is
// spread, so fragments that double the size at each level take no longer than others. Sums saturate at math.MaxInt.
type survey struct {
	derived map[string]bool // Config.DerivedFields

	definitions []*definition
	fragments   fragments
	defers      int
	total       size // of all operations
}

// document fails if a fragment spreads itself, directly or indirectly.
func (s *survey) document(document *ast.QueryDocument) error {
	s.fragments = make(fragments, len(document.Fragments))
	for _, operation := range document.Operations {
		s.define(operation.SelectionSet, operation.VariableDefinitions, operation.Directives)
	}
	for _, fragment := range document.Fragments {
		at := s.define(fragment.SelectionSet, fragment.VariableDefinition, fragment.Directives)
		if _, taken := s.fragments[fragment.Name]; !taken {
			s.fragments[fragment.Name] = at
		}
	}
	for i, at := range s.definitions {
		counted, err := s.count(at)
		if err != nil {
			return err
		}
		if i < len(document.Operations) {
			s.total.add(counted)
		}
	}
	return nil
}

func (s *survey) define(set ast.SelectionSet, variables ast.VariableDefinitionList, directives ast.DirectiveList) *definition {
	at := &definition{set: set, nodes: 1}
	for _, variable := range variables {
		at.nodes += 1 + valuesOf(variable.DefaultValue)
		s.directives(at, variable.Directives)
	}
	s.directives(at, directives)
	s.definitions = append(s.definitions, at)
	return at
}

func (s *survey) directives(at *definition, directives ast.DirectiveList) {
	for _, directive := range directives {
		at.nodes += 1 + values(directive.Arguments)
		if directive.Name == "defer" {
			s.defers++
		}
	}
}

func (s *survey) count(at *definition) (size, error) {
	switch {
	case at.size != nil:
		return *at.size, nil
	case at.begun:
		return size{}, errCycle
	}
	at.begun = true
	counted, err := s.set(at, at.set)
	at.size = &counted
	return counted, err
}

func (s *survey) set(at *definition, set ast.SelectionSet) (total size, err error) {
	for _, selection := range set {
		at.nodes++
		var below size
		switch selection := selection.(type) {
		case *ast.Field:
			at.nodes += values(selection.Arguments)
			s.directives(at, selection.Directives)
			below, err = s.set(at, selection.SelectionSet)
			below.fields = plus(below.fields, 1)
			if s.derived[selection.Name] {
				below.derived = plus(below.derived, 1)
			}
			if below.depth++; isIntrospection(selection.Name) {
				below.depth = 1
			}
		case *ast.InlineFragment:
			at.inline = append(at.inline, selection.SelectionSet)
			s.directives(at, selection.Directives)
			below, err = s.set(at, selection.SelectionSet)
		case *ast.FragmentSpread:
			at.spreads = append(at.spreads, selection)
			s.directives(at, selection.Directives)
			if fragment := s.fragments[selection.Name]; fragment != nil { // validation reports a missing fragment
				below, err = s.count(fragment)
			}
		}
		if err != nil {
			return size{}, err
		}
		total.add(below)
	}
	return total, nil
}

// isIntrospection reports whether a field leads to the schema's introspection types. Queries of tools nest deeper there
// than queries of data; introspectionCounter bounds their cost.
func isIntrospection(field string) bool { return field == "__schema" || field == "__type" }

// plus adds two non-negative counts. It saturates at math.MaxInt.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// times multiplies two non-negative counts. It saturates at math.MaxInt.
func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
