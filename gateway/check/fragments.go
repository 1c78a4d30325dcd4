package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/syntax"
)

// spreadsOf returns the fragment spreads in a selection set, the first of each fragment.
func spreadsOf(set ast.SelectionSet) (spreads []*ast.FragmentSpread) {
	syntax.All(set, func(selection ast.Selection, _ ast.DirectiveList) {
		spread, ok := selection.(*ast.FragmentSpread)
		if ok && !slices.ContainsFunc(spreads, func(s *ast.FragmentSpread) bool { return s.Name == spread.Name }) {
			spreads = append(spreads, spread)
		}
	})
	return spreads
}

// use marks the fragments that a definition uses, those within fragments too.
func (r *run) use(d *definition) {
	for _, at := range d.spreads {
		if f, _ := r.fragment(d, at.Name); f != nil && !f.used {
			f.used = true
			r.use(f)
		}
	}
}

// withFragments returns a definition and the fragments that it uses, those within fragments too: each from the file
// that spreads it, or else from the only other file that has it. They are one more than fit into the tokens of a
// document at most, which suffices to reject them.
func (r *run) withFragments(d *definition) []*definition {
	all, byName := []*definition{d}, map[string]*definition{}
	if d.fragment != nil {
		byName[d.fragment.Name] = d
	}
	for i := 0; i < len(all); i++ {
		for _, at := range all[i].spreads {
			f, ambiguous := r.fragment(all[i], at.Name)
			if f == nil {
				continue // validation reports it
			}
			if ambiguous || byName[at.Name] != nil && byName[at.Name] != f {
				r.problemAt(at.Position, fmt.Sprintf("several files have a fragment %q: %s", at.Name, r.filesOf(at.Name)))
			}
			if byName[at.Name] == nil && len(all) <= r.gateway.Limits().Tokens/minTokens {
				byName[at.Name] = f
				all = append(all, f)
			}
		}
	}
	return all
}

// minTokens is the number of tokens of the shortest fragment: fragment a on B{c}.
const minTokens = 7

// fragment returns the fragment that a definition spreads, or nil if no file has it. It is ambiguous if several other
// files have it.
func (r *run) fragment(in *definition, name string) (found *definition, ambiguous bool) {
	if f := in.source.named[name]; f != nil {
		return f, false
	}
	candidates := r.fragments[name]
	if len(candidates) == 0 {
		return nil, false
	}
	return candidates[0], len(candidates) > 1
}

// filesOf returns the files that have a fragment, at most three of them.
func (r *run) filesOf(fragment string) string {
	var files []string
	for _, f := range r.fragments[fragment] {
		name := f.position().Src.Name
		switch {
		case slices.Contains(files, name):
		case len(files) == 3:
			return strings.Join(files, ", ") + " and others"
		default:
			files = append(files, name)
		}
	}
	return strings.Join(files, ", ")
}
