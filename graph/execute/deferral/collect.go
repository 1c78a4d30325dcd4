package deferral

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/documents"
	"pixgraph/graph/syntax"
)

// collector collects the fields of one object (GraphQL specification, section 6.3.2), with the deferred fragments that
// they belong to.
type collector struct {
	*compiler
	sources []source // those of the object, and the deferred fragments found so far
	depth   int

	selected []selected
	usages   []*deferUsage
	visited  []visit // named fragments that are not deferred
}

// visit is the spread of a named fragment, and the deferred fragment that it is within.
type visit struct {
	name   string
	within *deferUsage
}

func (c *collector) collect() {
	for _, s := range slices.Clone(c.sources) {
		c.set(s.set, s.usage)
	}
}

func (c *collector) set(set ast.SelectionSet, within *deferUsage) {
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

// wasVisited reports whether a named fragment was already collected for a deferred fragment, for one around it, or for
// the operation, so that the client has its fields anyway. A visit elsewhere does not count: graphql-js 17.0.0-alpha.9
// counts it, and so defers fields that are also selected outside @defer.
func (c *collector) wasVisited(name string, within *deferUsage) bool {
	return slices.ContainsFunc(c.visited, func(v visit) bool { return v.name == name && within.isWithin(v.within) })
}

// add adds a field.
func (c *collector) add(field *ast.Field, within *deferUsage) {
	i := slices.IndexFunc(c.selected, func(s selected) bool { return s.key == field.Alias })
	if i < 0 {
		i, c.selected = len(c.selected), append(c.selected, selected{key: field.Alias})
	}
	c.selected[i].fields = append(c.selected[i].fields, merged{field, within})
}

// fragmentOf collects a fragment, and reports whether it is deferred.
func (c *collector) fragmentOf(directives ast.DirectiveList, set ast.SelectionSet, within *deferUsage) bool {
	directive := directives.ForName(documents.Deferred)
	if directive == nil || !c.isActive(directive) || !c.addsCalls([]ast.SelectionSet{set}, c.receivedBefore(within)) || c.repeatsSummary(set) {
		c.set(set, within)
		return false
	}
	found := &deferUsage{parent: within, depth: c.depth}
	if label := directive.Arguments.ForName("label"); label != nil {
		found.label = &label.Value.Raw
	}
	c.usages = append(c.usages, found)
	c.sources = append(c.sources, source{set, found})
	c.set(set, found)
	return true
}

// receivedBefore returns the selection sets of the object that a client has when it receives a fragment within another
// one: those of the operation, of the outer fragment, and of the fragments around it. within is nil for the operation.
func (c *collector) receivedBefore(within *deferUsage) (sets []ast.SelectionSet) {
	for _, s := range c.sources {
		if within.isWithin(s.usage) {
			sets = append(sets, s.set)
		}
	}
	return sets
}

// repeatsSummary reports whether a fragment repeats a summary of pages that another fragment selects too. The responses
// of a summary are not kept, so all pages would be read a second time. Such a fragment is not deferred.
func (c *collector) repeatsSummary(set ast.SelectionSet) bool {
	repeats := false
	c.eachField([]ast.SelectionSet{set}, func(field *ast.Field) {
		if call := c.Calls[field.Definition]; !c.repeated || call == nil || call.PagesArgument == "" {
			return
		}
		for _, other := range c.sources {
			c.eachField([]ast.SelectionSet{other.set}, func(same *ast.Field) { repeats = repeats || same.Alias == field.Alias })
		}
	})
	return repeats
}

// addsCalls reports whether the selection sets have a field that makes calls and is not in the selection sets around
// them. Deferred fragments within either do not count. It visits each field once.
func (c *compiler) addsCalls(sets, around []ast.SelectionSet) bool {
	if len(sets) == 0 {
		return false
	}
	aroundByKey := map[string][]ast.SelectionSet{}
	c.eachField(around, func(field *ast.Field) {
		aroundByKey[field.Alias] = append(aroundByKey[field.Alias], field.SelectionSet)
	})
	nested, adds := map[string][]ast.SelectionSet{}, false
	c.eachField(sets, func(field *ast.Field) {
		adds = adds || aroundByKey[field.Alias] == nil && c.Calls[field.Definition] != nil
		if len(field.SelectionSet) > 0 {
			nested[field.Alias] = append(nested[field.Alias], field.SelectionSet)
		}
	})
	for key, sets := range nested {
		adds = adds || c.addsCalls(sets, aroundByKey[key])
	}
	return adds
}

// eachField calls visit for each field of selection sets outside deferred fragments, with their fragments expanded.
func (c *compiler) eachField(sets []ast.SelectionSet, visit func(*ast.Field)) {
	var object syntax.Object
	for _, set := range sets {
		object.Fields(set, c.isImmediate, visit)
	}
}

// isImmediate reports whether a field or a fragment is included and not deferred, so that its fields belong to the
// selection set around it.
func (c *compiler) isImmediate(directives ast.DirectiveList) bool {
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
