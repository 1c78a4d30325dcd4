package limits

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"
)

// expansion counts what a document has with its fragments expanded. Each definition is counted once and remembered, so
// that fragments that double at each level cost no more than others; sums stop at the greatest int.
type expansion struct {
	config    Config
	fragments fragments
	sizes     map[*definition]*size // nil while a definition is being counted
	steps     int                   // nodes visited
}

// size is what a selection set is, expanded.
type size struct{ fields, aliases, depth int }

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
	}
	return nil
}

// definition counts an operation or a fragment. It fails when that leads back to itself.
func (e *expansion) definition(at *definition) (size, error) {
	if s, met := e.sizes[at]; met {
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
			if s.depth++; isIntrospection(selection.Name) {
				s.depth = 1
			}
		case *ast.InlineFragment:
			s, err = e.set(selection.SelectionSet)
		case *ast.FragmentSpread:
			if fragment := e.fragments[selection.Name]; fragment != nil { // that it is missing is found by validation
				s, err = e.definition(fragment)
			}
		}
		if err != nil {
			return size{}, err
		}
		total.fields = plus(total.fields, s.fields)
		total.aliases = plus(total.aliases, s.aliases)
		total.depth = max(total.depth, s.depth)
	}
	return total, nil
}

// isIntrospection reports whether a field leads into the schema's description. Its tools nest deeper than data does, and
// what they read is bounded in introspection.go.
func isIntrospection(field string) bool { return field == "__schema" || field == "__type" }

// plus adds two counts, neither negative. It stops at the greatest int.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// times multiplies two counts, neither negative. It stops at the greatest int.
func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
