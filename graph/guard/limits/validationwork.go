package limits

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// validationWork estimates the work of validation. gqlparser walks every definition with all fragments that it reaches,
// and compares every pair of fields that are merged under one response path. It does so for operations and fragments,
// and for an inline fragment in each walk that visits it. That is quadratic in the size of the document, or cubic.
// validationWork counts the same visits and comparisons, and stops when the limit is exceeded.
type validationWork struct {
	limit     int
	fragments fragments
	steps     int
}

// stepsPerVisit is the cost of a visit of a node, in comparisons of two fields: about thirty rules inspect the node.
const stepsPerVisit = 5

// document reports whether validation stays within the limit, as all methods do.
func (m *validationWork) document(definitions []*definition) bool {
	walks := make(map[*definition]int, len(definitions)) // the number of walks that visit a definition
	for _, at := range definitions {
		if !m.walk(at, walks, map[*definition]bool{}) {
			return false
		}
	}
	for _, at := range definitions {
		if !m.sets([]ast.SelectionSet{at.set}, 1) {
			return false
		}
		for _, set := range at.inline {
			if !m.sets([]ast.SelectionSet{set}, walks[at]) {
				return false
			}
		}
	}
	return true
}

// spend adds steps.
func (m *validationWork) spend(steps int) bool {
	m.steps = plus(m.steps, steps)
	return m.steps <= m.limit
}

// walk counts a walk of a definition and of all fragments that it reaches.
func (m *validationWork) walk(at *definition, walks map[*definition]int, visited map[*definition]bool) bool {
	if at == nil || visited[at] {
		return true
	}
	visited[at] = true
	walks[at]++
	return m.spend(stepsPerVisit*at.nodes) && !slices.ContainsFunc(at.spreads, func(spread *ast.FragmentSpread) bool {
		return !m.walk(m.fragments[spread.Name], walks, visited)
	})
}

// group is the fields that are merged under one response name.
type group struct {
	fields int
	weight int // the sum of their weights: 1 for a field, plus its arguments
	sets   []ast.SelectionSet
}

// collected is the groups of merged selection sets. A fragment is counted once, even if it is spread several times.
type collected struct {
	names   map[string]int
	groups  []group
	spread  map[string]bool
	spreads int // repeated spreads included
}

// sets counts the comparisons in merged selection sets, multiplied by repeated.
func (m *validationWork) sets(sets []ast.SelectionSet, repeated int) bool {
	c := collected{names: map[string]int{}}
	for _, set := range sets {
		if !m.collect(&c, set) {
			return false
		}
	}
	// gqlparser compares each pair of spreads by name first, and remembers each pair of names.
	if !m.spend(times(repeated, c.spreads*c.spreads/4+len(c.spread)*len(c.spread)*3/4)) {
		return false
	}
	for _, g := range c.groups {
		if !m.spend(times(repeated, (g.fields-1)*g.weight/2)) || len(g.sets) > 0 && !m.sets(g.sets, repeated) {
			return false
		}
	}
	return true
}

// collect adds a selection set to the groups.
func (m *validationWork) collect(c *collected, set ast.SelectionSet) bool {
	for _, selection := range set {
		if !m.spend(1) {
			return false
		}
		switch selection := selection.(type) {
		case *ast.Field:
			weight := 1 + len(selection.Arguments)*len(selection.Arguments) + values(selection.Arguments)
			if !m.spend(weight) {
				return false
			}
			index, ok := c.names[selection.Alias]
			if !ok {
				index = len(c.groups)
				c.names[selection.Alias] = index
				c.groups = append(c.groups, group{})
			}
			g := &c.groups[index]
			g.fields++
			g.weight += weight
			if len(selection.SelectionSet) > 0 {
				g.sets = append(g.sets, selection.SelectionSet)
			}
		case *ast.InlineFragment:
			if !m.collect(c, selection.SelectionSet) {
				return false
			}
		case *ast.FragmentSpread:
			if c.spreads++; c.spread[selection.Name] {
				continue
			}
			if c.spread == nil {
				c.spread = map[string]bool{}
			}
			c.spread[selection.Name] = true
			if fragment := m.fragments[selection.Name]; fragment != nil && !m.collect(c, fragment.set) {
				return false
			}
		}
	}
	return true
}

// values counts the values of arguments, including those in lists and objects.
func values(arguments ast.ArgumentList) int {
	count := 0
	for _, argument := range arguments {
		count += valuesOf(argument.Value)
	}
	return count
}

func valuesOf(value *ast.Value) int {
	if value == nil {
		return 0
	}
	count := 1
	for _, child := range value.Children {
		count += valuesOf(child.Value)
	}
	return count
}
