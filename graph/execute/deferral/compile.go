package deferral

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/documents"
)

// compiler compiles one operation.
type compiler struct {
	*Planner
	operation *graphql.OperationContext
	repeated  bool
	plan      *Plan
	deferred  bool           // whether a fragment is deferred
	size      documents.Size // of the plan
}

// source is a selection set that is executed on an object, and the deferred fragment that it belongs to.
type source struct {
	set   ast.SelectionSet
	usage *deferUsage
}

// selected is a response key of an object, with the fields that are merged there.
type selected struct {
	key    string
	fields []merged
}

// merged is a field, and the deferred fragment that it belongs to.
type merged struct {
	field *ast.Field
	usage *deferUsage
}

// compileObject compiles the selection sets of one object. It returns the fields that belong to the current fragments,
// and the plan of the deferred fields, which is nil if nothing is deferred on the object.
func (c *compiler) compileObject(sources []source, current []*deferUsage, depth int) (ast.SelectionSet, *Object) {
	collected := collector{compiler: c, sources: sources, depth: depth}
	collected.collect()
	var (
		immediate ast.SelectionSet
		plan      = &Object{usages: collected.usages}
		sets      = map[*Group][]selected{}
	)
	for _, s := range collected.selected {
		for _, owned := range c.split(s) {
			usages := usagesOf(owned.fields)
			if sameUsages(usages, current) {
				immediate = append(immediate, c.field(owned, current, depth))
				continue
			}
			g := plan.group(usages)
			sets[g] = append(sets[g], owned)
		}
	}
	for _, g := range plan.Groups {
		for _, s := range sets[g] {
			g.Selection = append(g.Selection, c.field(s, g.usages, depth))
		}
		c.size.Add("")
	}
	if len(plan.Groups) == 0 && len(plan.usages) == 0 {
		return immediate, nil
	}
	c.deferred = true
	c.size += documents.Parts(len(plan.usages))
	return immediate, plan
}

// fragment returns the selection set of a spread's fragment. Validation has found that it exists.
func (c *compiler) fragment(spread *ast.FragmentSpread) ast.SelectionSet {
	return c.operation.Doc.Fragments.ForName(spread.Name).SelectionSet
}

// split returns the fields of a response key, grouped by the fragments that deliver them. It is one group, unless plans
// are repeated: then each fragment has a group.
func (c *compiler) split(s selected) (owned []selected) {
	if !c.repeated {
		return []selected{s}
	}
	for _, field := range s.fields {
		i := slices.IndexFunc(owned, func(o selected) bool { return o.fields[0].usage == field.usage })
		if i < 0 {
			i, owned = len(owned), append(owned, selected{key: s.key})
		}
		owned[i].fields = append(owned[i].fields, field)
	}
	return owned
}

// field returns the field of a response key for the current fragments.
func (c *compiler) field(s selected, current []*deferUsage, depth int) *ast.Field {
	field := *s.fields[0].field
	field.Directives = nil // @skip and @include are evaluated
	if c.size.Add(""); len(field.SelectionSet) == 0 {
		return &field
	}
	var sources []source
	for _, m := range s.fields {
		sources = append(sources, source{m.field.SelectionSet, m.usage})
	}
	if depth++; field.Definition.Type.Elem != nil {
		depth++
	}
	var object *Object
	if field.SelectionSet, object = c.compileObject(sources, current, depth); object != nil {
		position := *field.Position
		field.Position = &position
		c.plan.objects[&position] = object
		c.size.Add("")
	}
	return &field
}

// group returns the group of the fragments.
func (p *Object) group(usages []*deferUsage) *Group {
	for _, g := range p.Groups {
		if sameUsages(g.usages, usages) {
			return g
		}
	}
	g := &Group{usages: usages}
	p.Groups = append(p.Groups, g)
	return g
}

// usagesOf returns the deferred fragments that a merged field belongs to: an empty set if one of its fields is not
// deferred. A fragment within another one of them is left out.
func usagesOf(fields []merged) (usages []*deferUsage) {
	for _, m := range fields {
		if m.usage == nil {
			return nil
		}
		if !slices.Contains(usages, m.usage) {
			usages = append(usages, m.usage)
		}
	}
	all := slices.Clone(usages)
	return slices.DeleteFunc(usages, func(u *deferUsage) bool {
		return slices.ContainsFunc(all, func(outer *deferUsage) bool { return outer != u && u.isWithin(outer) })
	})
}

// isWithin reports whether a fragment is another one or within it; nil stands for the operation.
func (u *deferUsage) isWithin(outer *deferUsage) bool {
	for ; u != nil; u = u.parent {
		if u == outer {
			return true
		}
	}
	return outer == nil
}

// sameUsages reports whether two sets of fragments are equal.
func sameUsages(a, b []*deferUsage) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(u *deferUsage) bool { return !slices.Contains(b, u) })
}
