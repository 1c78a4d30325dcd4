package deferral

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/documents"
)

// collector collects the fields of one object (GraphQL specification, section 6.3.2), with the deferred fragments that
// they belong to.
type collector struct {
	*compiler
	sources []source // those of the object, and the deferred fragments found so far
	depth   int

	selected []selected
	usages   []*usage
	visited  []visit // named fragments that are not deferred
}

// visit is the spread of a named fragment, and the deferred fragment that it is within.
type visit struct {
	name   string
	within *usage
}

func (c *collector) collect() {
	for _, s := range slices.Clone(c.sources) {
		c.set(s.set, s.usage)
	}
}

func (c *collector) set(set ast.SelectionSet, within *usage) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			if c.isIncluded(selection.Directives) {
				c.add(selection, within)
			}
		case *ast.InlineFragment:
			if c.isIncluded(selection.Directives) {
				c.fragmentOf(selection.Directives, selection.SelectionSet, within)
			}
		case *ast.FragmentSpread:
			if !c.wasVisited(selection.Name, within) && c.isIncluded(selection.Directives) {
				if !c.fragmentOf(selection.Directives, c.fragment(selection), within) {
					c.visited = append(c.visited, visit{selection.Name, within})
				}
			}
		}
	}
}

// wasVisited reports whether a client has the fields of a named fragment when it gets a deferred fragment, or the
// operation without those. A spread elsewhere does not count: alpha.9 takes fields for deferred that are not.
func (c *collector) wasVisited(name string, within *usage) bool {
	return slices.ContainsFunc(c.visited, func(v visit) bool { return v.name == name && within.isWithin(v.within) })
}

// add adds a field.
func (c *collector) add(field *ast.Field, within *usage) {
	i := slices.IndexFunc(c.selected, func(s selected) bool { return s.key == field.Alias })
	if i < 0 {
		i, c.selected = len(c.selected), append(c.selected, selected{key: field.Alias})
	}
	c.selected[i].fields = append(c.selected[i].fields, merged{field, within})
}

// fragmentOf collects a fragment, and reports whether it is deferred.
func (c *collector) fragmentOf(directives ast.DirectiveList, set ast.SelectionSet, within *usage) bool {
	directive := directives.ForName(documents.Deferred)
	if directive == nil || !c.isActive(directive) || !c.addsCalls([]ast.SelectionSet{set}, c.around(within)) || c.sumsAgain(set) {
		c.set(set, within)
		return false
	}
	found := &usage{parent: within, depth: c.depth}
	if label := directive.Arguments.ForName("label"); label != nil {
		found.label = &label.Value.Raw
	}
	c.usages = append(c.usages, found)
	c.sources = append(c.sources, source{set, found})
	c.set(set, found)
	return true
}

// around returns the selection sets that a client has when it gets a fragment within a deferred one, or within none.
func (c *collector) around(within *usage) (sets []ast.SelectionSet) {
	for _, s := range c.sources {
		if within.isWithin(s.usage) {
			sets = append(sets, s.set)
		}
	}
	return sets
}

// sumsAgain reports whether a fragment that repeats fields would sum pages that others sum: their responses are not
// kept, so they would be read again.
func (c *collector) sumsAgain(set ast.SelectionSet) bool {
	again := false
	c.eachField([]ast.SelectionSet{set}, func(field *ast.Field) {
		if call := c.Calls[field.Definition]; !c.repeated || call == nil || call.PagesArgument == "" {
			return
		}
		for _, other := range c.sources {
			c.eachField([]ast.SelectionSet{other.set}, func(same *ast.Field) { again = again || same.Alias == field.Alias })
		}
	})
	return again
}

// addsCalls reports whether selection sets have a field with calls that those around them have not. Deferred fragments
// within any of them do not count. It visits each field once.
func (c *compiler) addsCalls(sets, around []ast.SelectionSet) bool {
	if len(sets) == 0 {
		return false
	}
	has := map[string][]ast.SelectionSet{}
	c.eachField(around, func(field *ast.Field) { has[field.Alias] = append(has[field.Alias], field.SelectionSet) })
	below, adds := map[string][]ast.SelectionSet{}, false
	c.eachField(sets, func(field *ast.Field) {
		adds = adds || has[field.Alias] == nil && c.Calls[field.Definition] != nil
		if len(field.SelectionSet) > 0 {
			below[field.Alias] = append(below[field.Alias], field.SelectionSet)
		}
	})
	for key, sets := range below {
		adds = adds || c.addsCalls(sets, has[key])
	}
	return adds
}

// eachField calls visit for each field of selection sets outside deferred fragments, with their fragments expanded.
func (c *compiler) eachField(sets []ast.SelectionSet, visit func(*ast.Field)) {
	for _, set := range sets {
		for _, selection := range set {
			switch selection := selection.(type) {
			case *ast.Field:
				if c.isIncluded(selection.Directives) {
					visit(selection)
				}
			case *ast.InlineFragment:
				if c.isPart(selection.Directives) {
					c.eachField([]ast.SelectionSet{selection.SelectionSet}, visit)
				}
			case *ast.FragmentSpread:
				if c.isPart(selection.Directives) {
					c.eachField([]ast.SelectionSet{c.fragment(selection)}, visit)
				}
			}
		}
	}
}

// isPart reports whether a fragment is included and not to be deferred.
func (c *compiler) isPart(directives ast.DirectiveList) bool {
	directive := directives.ForName(documents.Deferred)
	return c.isIncluded(directives) && (directive == nil || !c.isActive(directive))
}

// isIncluded evaluates @skip and @include.
func (c *compiler) isIncluded(directives ast.DirectiveList) bool {
	skip, include := directives.ForName("skip"), directives.ForName("include")
	return (skip == nil || !c.condition(skip)) && (include == nil || c.condition(include))
}

// isActive evaluates the condition of @defer.
func (c *compiler) isActive(directive *ast.Directive) bool {
	return directive.Arguments.ForName("if") == nil || c.condition(directive)
}

// condition returns the argument `if`. The variables have been checked.
func (c *compiler) condition(directive *ast.Directive) bool {
	argument := directive.Arguments.ForName("if")
	if argument == nil {
		return false
	}
	value, _ := argument.Value.Value(c.operation.Variables)
	on, _ := value.(bool)
	return on
}
