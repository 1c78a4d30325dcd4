package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// tidyErrors is the interceptor that puts the errors of a response into the order of its fields, and keeps one for each
// null: a record that is broken in five of the selected fields is one null, for the first of the five reasons. gqlgen
// runs fields side by side, so without it the order would change from one request to the next.
func tidyErrors(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	if response == nil || response.Data == nil || len(response.Errors) < 2 || !graphql.HasOperationContext(ctx) {
		return response
	}
	root := newLayout(graphql.GetOperationContext(ctx).Operation.SelectionSet)
	located := make([]locatedError, len(response.Errors))
	for i, err := range response.Errors {
		located[i] = root.locate(err)
	}
	slices.SortStableFunc(located, func(a, b locatedError) int { return slices.Compare(a.place, b.place) })
	response.Errors = onePerNull(located)
	return response
}

// locatedError is an error and where it stands in the response.
type locatedError struct {
	err   *gqlerror.Error
	place []int // the path as numbers: the position of each field in its selection set, the index of each element
	null  int   // how much of the path leads to the null that stands for the error
}

// layout is a selection set as it is answered: its response keys in their order.
type layout map[string]*layoutField

// layoutField is one response key. Its selections are merged from all places where the key stands.
type layoutField struct {
	position   int
	typ        *ast.Type
	selections ast.SelectionSet
	below      layout // nil until it is needed
}

// newLayout lays out a selection set. The schema has no abstract types, so every fragment applies.
func newLayout(set ast.SelectionSet) layout {
	l := layout{}
	l.add(set, map[string]bool{})
	return l
}

// add lays out more selections. A fragment counts once, as spreading it again adds nothing.
func (l layout) add(set ast.SelectionSet, spread map[string]bool) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			field := l[selection.Alias]
			if field == nil {
				field = &layoutField{position: len(l), typ: selection.Definition.Type}
				l[selection.Alias] = field
			}
			field.selections = append(field.selections, selection.SelectionSet...)
		case *ast.InlineFragment:
			l.add(selection.SelectionSet, spread)
		case *ast.FragmentSpread:
			if !spread[selection.Name] {
				spread[selection.Name] = true
				l.add(selection.Definition.SelectionSet, spread)
			}
		}
	}
}

// locate walks an error's path through the operation.
func (l layout) locate(err *gqlerror.Error) locatedError {
	found := locatedError{err: err}
	var typ *ast.Type
	for i, step := range err.Path {
		switch step := step.(type) {
		case ast.PathName:
			field := l[string(step)]
			if field == nil {
				return found
			}
			if field.below == nil {
				field.below = newLayout(field.selections)
			}
			l, typ, found.place = field.below, field.typ, append(found.place, field.position)
		case ast.PathIndex:
			if typ == nil || typ.Elem == nil {
				return found
			}
			typ, found.place = typ.Elem, append(found.place, int(step))
		}
		if !typ.NonNull {
			found.null = i + 1
		}
	}
	return found
}

// onePerNull keeps, of errors in order, the first for each null, and none for what lies inside a null that another
// error stands for.
func onePerNull(errors []locatedError) gqlerror.List {
	nulls := make(map[string]bool, len(errors))
	for _, e := range errors {
		nulls[e.err.Path[:e.null].String()] = e.null > 0
	}
	kept := make(gqlerror.List, 0, len(errors))
	told := make(map[string]bool, len(errors))
	for _, e := range errors {
		null := e.err.Path[:e.null].String()
		if len(e.err.Path) > 0 && (told[null] || insideNull(e.err.Path[:e.null], nulls)) {
			continue
		}
		told[null] = true
		kept = append(kept, e.err)
	}
	return kept
}

// insideNull reports whether one of the places that a path leads through is null.
func insideNull(path ast.Path, nulls map[string]bool) bool {
	for i := 1; i < len(path); i++ {
		if nulls[path[:i].String()] {
			return true
		}
	}
	return false
}
