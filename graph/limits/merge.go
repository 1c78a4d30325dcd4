package limits

import "github.com/vektah/gqlparser/v2/ast"

// merge estimates the work of validation. gqlparser walks every definition with all fragments that it reaches, and
// compares every pair of fields that are merged under one path of the answer: in the operations and fragments, and again
// in each inline fragment whenever a walk comes by. That is the square of the document, or its cube. Here the same is
// counted, and given up as soon as it is too much.
type merge struct {
	config    Config
	fragments fragments
	steps     int
}

// stepsPerVisit is what a visit of a node costs in comparisons of two fields: some thirty rules look at it.
const stepsPerVisit = 5

func (m *merge) document(definitions []*definition) error {
	walks := make(map[*definition]int, len(definitions)) // how often a definition is walked
	for _, at := range definitions {
		if !m.walk(at, walks, map[*definition]bool{}) {
			return m.tooMuch()
		}
	}
	for _, at := range definitions {
		if err := m.definition(at, walks[at]); err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) tooMuch() error { return exceeded(LimitValidation, m.config.Validation) }

// spend counts steps and reports whether there are any left.
func (m *merge) spend(steps int) bool {
	m.steps = plus(m.steps, steps)
	return m.steps <= m.config.Validation
}

// walk counts a walk of a definition and all it reaches.
func (m *merge) walk(at *definition, walks map[*definition]int, met map[*definition]bool) bool {
	if at == nil || met[at] {
		return true
	}
	met[at] = true
	walks[at]++
	if !m.spend(stepsPerVisit * at.nodes) {
		return false
	}
	for _, spread := range at.spreads {
		if !m.walk(m.fragments[spread.Name], walks, met) {
			return false
		}
	}
	return true
}

func (m *merge) definition(at *definition, walks int) error {
	roots, err := m.sets([]ast.SelectionSet{at.set}, 1)
	if err != nil {
		return err
	}
	if at.operation && roots > m.config.RootFields {
		return exceeded(LimitRootFields, m.config.RootFields)
	}
	for _, set := range at.inline {
		if _, err := m.sets([]ast.SelectionSet{set}, walks); err != nil {
			return err
		}
	}
	return nil
}

// group is the fields that are merged under one name.
type group struct {
	fields int
	weight int // of them together: 1 and what their arguments have
	sets   []ast.SelectionSet
}

// collected is the groups of merged selection sets. A fragment counts once, however often it is spread in them.
type collected struct {
	names   map[string]int
	groups  []group
	spread  map[string]bool
	spreads int // repeated ones too
}

// sets counts the comparisons in selection sets that are merged, done so many times, and returns how many names they
// have.
func (m *merge) sets(sets []ast.SelectionSet, repeated int) (names int, err error) {
	c := collected{names: map[string]int{}}
	for _, set := range sets {
		if !m.collect(&c, set) {
			return 0, m.tooMuch()
		}
	}
	if !m.spend(times(repeated, c.spreads*c.spreads/4)) { // a pair of spreads is compared by name first
		return 0, m.tooMuch()
	}
	for _, g := range c.groups {
		if g.fields > m.config.Repetitions {
			return 0, exceeded(LimitRepetitions, m.config.Repetitions)
		}
		if !m.spend(times(repeated, (g.fields-1)*g.weight/2)) {
			return 0, m.tooMuch()
		}
		if len(g.sets) == 0 {
			continue
		}
		if _, err := m.sets(g.sets, repeated); err != nil {
			return 0, err
		}
	}
	return len(c.groups), nil
}

// collect adds a selection set to the groups and reports whether that was not too much.
func (m *merge) collect(c *collected, set ast.SelectionSet) bool {
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
			c.spreads++
			fragment := m.fragments[selection.Name]
			if fragment == nil || c.spread[selection.Name] {
				continue
			}
			if c.spread == nil {
				c.spread = map[string]bool{}
			}
			c.spread[selection.Name] = true
			if !m.collect(c, fragment.set) {
				return false
			}
		}
	}
	return true
}

// values counts the values of arguments, those within lists and objects too.
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
