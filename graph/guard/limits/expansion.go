package limits

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"
)

// expansion counts the elements of a document with its fragments expanded. Each definition is counted once and the
// result is reused, so fragments that double the size at each level take no longer than others. Sums saturate at
// math.MaxInt.
type expansion struct {
	config    Config
	fragments fragments
	sizes     map[*definition]*size // nil while the definition is being counted
	steps     int                   // nodes visited
}

// size is the size of an expanded selection set.
type size struct{ fields, aliases, derived, depth int }

func (e *expansion) document(definitions []*definition) error {
	var total size
	for _, at := range definitions {
		s, err := e.definition(at)
		if err != nil {
			return err
		}
		if at.operation {
			total.fields = plus(total.fields, s.fields)
			total.aliases = plus(total.aliases, s.aliases)
			total.derived = plus(total.derived, s.derived)
			total.depth = max(total.depth, s.depth)
		}
	}
	switch {
	case total.depth > e.config.Depth:
		return exceeded(LimitDepth, e.config.Depth)
	case total.fields > e.config.Fields:
		return exceeded(LimitFields, e.config.Fields)
	case total.aliases > e.config.Aliases:
		return exceeded(LimitAliases, e.config.Aliases)
	case total.derived > e.config.Derived:
		return exceeded(LimitDerived, e.config.Derived)
	}
	return nil
}

// definition counts an operation or a fragment. It fails if the definition spreads itself, directly or indirectly.
func (e *expansion) definition(at *definition) (size, error) {
	if s, visited := e.sizes[at]; visited {
		if s == nil {
			return size{}, errCycle
		}
		return *s, nil
	}
	e.sizes[at] = nil
	s, err := e.set(at.set)
	if err != nil {
		return size{}, err
	}
	e.sizes[at] = &s
	return s, nil
}

func (e *expansion) set(set ast.SelectionSet) (size, error) {
	var total size
	for _, selection := range set {
		e.steps++
		var (
			s   size
			err error
		)
		switch selection := selection.(type) {
		case *ast.Field:
			if s, err = e.set(selection.SelectionSet); err != nil {
				return size{}, err
			}
			s.fields = plus(s.fields, 1)
			if selection.Alias != selection.Name {
				s.aliases = plus(s.aliases, 1)
			}
			if e.config.DerivedFields[selection.Name] {
				s.derived = plus(s.derived, 1)
			}
			if s.depth++; isIntrospection(selection.Name) {
				s.depth = 1
			}
		case *ast.InlineFragment:
			s, err = e.set(selection.SelectionSet)
		case *ast.FragmentSpread:
			if fragment := e.fragments[selection.Name]; fragment != nil { // validation reports a missing fragment
				s, err = e.definition(fragment)
			}
		}
		if err != nil {
			return size{}, err
		}
		total.fields = plus(total.fields, s.fields)
		total.aliases = plus(total.aliases, s.aliases)
		total.derived = plus(total.derived, s.derived)
		total.depth = max(total.depth, s.depth)
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
