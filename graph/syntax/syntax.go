// Package syntax walks over the syntax tree of documents. What counts or rewrites a document by its structure has a
// walk of its own: survey and validationWork of package limits, the collector of package deferral.
//
// Read Object first.
package syntax

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Fields calls visit for each field of an object with one selection set: see Object.
func Fields(set ast.SelectionSet, included func(ast.DirectiveList) bool, visit func(*ast.Field)) {
	var o Object
	o.Fields(set, included, visit)
}

// Object is an object whose selection sets are visited, with the named fragments that were entered. As in execution,
// each is entered once: fragments that repeat each other would multiply the time.
type Object []*ast.FragmentDefinition

// Fields calls visit for each field of a selection set: those of the set, and those of its fragments, with the
// fragments of a validated document expanded. It omits selections whose directives are not included; nil includes all.
func (o *Object) Fields(set ast.SelectionSet, included func(ast.DirectiveList) bool, visit func(*ast.Field)) {
	for _, selection := range set {
		directives, below := parts(selection)
		if included != nil && !included(directives) {
			continue
		}
		switch selection := selection.(type) {
		case *ast.Field:
			visit(selection)
			continue
		case *ast.FragmentSpread:
			if selection.Definition == nil || slices.Contains(*o, selection.Definition) {
				continue
			}
			*o = append(*o, selection.Definition)
			below = selection.Definition.SelectionSet
		}
		o.Fields(below, included, visit)
	}
}

// All calls visit for each selection of a set and of those below it, in the order of the document, with its directives.
// It does not enter named fragments.
func All(set ast.SelectionSet, visit func(ast.Selection, ast.DirectiveList)) {
	for _, selection := range set {
		directives, below := parts(selection)
		visit(selection, directives)
		All(below, visit)
	}
}

// parts returns the directives of a selection, and the set in it: none in a spread.
func parts(selection ast.Selection) (ast.DirectiveList, ast.SelectionSet) {
	switch selection := selection.(type) {
	case *ast.Field:
		return selection.Directives, selection.SelectionSet
	case *ast.InlineFragment:
		return selection.Directives, selection.SelectionSet
	case *ast.FragmentSpread:
		return selection.Directives, nil
	}
	return nil, nil
}
