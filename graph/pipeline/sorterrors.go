package pipeline

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/transport"
)

// sortErrors is the interceptor that collects the errors of a response, puts them into the order of its fields, and keeps
// one for each null: a record that is broken in five of the selected fields is one null, for the first of the five reasons.
// gqlgen runs fields side by side, so without it the order would change from one request to the next. Only what is kept is
// presented, and one error more than an answer may have at most.
func (p presenter) sortErrors(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !graphql.HasOperationContext(ctx) || graphql.GetOperationContext(ctx).Operation == nil {
		return next(ctx) // it was refused before it ran
	}
	request := graph.RequestOf(ctx)
	request.Errors.Open(request.Account)
	defer request.Errors.Close() // after a panic
	response := next(ctx)
	collected, dropped := request.Errors.Close()
	if response == nil || len(collected) == 0 {
		return response
	}
	operation := graphql.GetOperationContext(ctx)
	root := newLayout(operation, operation.Operation.SelectionSet, "Query")
	located := make([]locatedError, len(collected))
	for i, raised := range collected {
		located[i] = root.locate(operation, raised)
	}
	slices.SortStableFunc(located, func(a, b locatedError) int { return slices.Compare(a.place, b.place) })
	for _, kept := range onePerNull(located) {
		if p.maxErrors > 0 && len(response.Errors) > p.maxErrors {
			break
		}
		if shown := p.show(ctx, kept.raised.Field, kept.err); shown != nil {
			response.Errors = append(response.Errors, shown)
		}
	}
	if dropped {
		response.Errors = append(response.Errors, p.show(ctx, nil, transport.TooManyErrors(p.maxErrors)))
	}
	return response
}

// locatedError is an error and where it stands in the response.
type locatedError struct {
	raised graph.RaisedError
	err    *gqlerror.Error
	place  []int // the path as numbers: the position of each field in its selection set, the index of each element
	null   int   // how much of the path leads to the null that stands for the error
}

// layout is a selection set as it is answered: its response keys in their order.
type layout map[string]*layoutField

// layoutField is one response key.
type layoutField struct {
	position int
	field    graphql.CollectedField
	below    layout // nil until it is needed
}

// newLayout lays out a selection set on a type, as gqlgen does to execute it.
func newLayout(operation *graphql.OperationContext, set ast.SelectionSet, typeName string) layout {
	l := layout{}
	for i, field := range graphql.CollectFields(operation, set, []string{typeName}) {
		l[field.Alias] = &layoutField{position: i, field: field}
	}
	return l
}

// locate walks an error's path through the operation.
func (l layout) locate(operation *graphql.OperationContext, raised graph.RaisedError) locatedError {
	found := locatedError{raised: raised, err: raised.Err}
	var typ *ast.Type
	for i, step := range found.err.Path {
		switch step := step.(type) {
		case ast.PathName:
			field := l[string(step)]
			if field == nil {
				return found
			}
			typ = field.field.Definition.Type
			if field.below == nil {
				field.below = newLayout(operation, field.field.Selections, typ.Name())
			}
			l, found.place = field.below, append(found.place, field.position)
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
func onePerNull(errors []locatedError) []locatedError {
	nulls := make(map[string]bool, len(errors))
	for _, e := range errors {
		nulls[e.err.Path[:e.null].String()] = e.null > 0
	}
	kept := errors[:0]
	told := make(map[string]bool, len(errors))
	for _, e := range errors {
		null := e.err.Path[:e.null].String()
		if len(e.err.Path) > 0 && (told[null] || insideNull(e.err.Path[:e.null], nulls)) {
			continue
		}
		told[null] = true
		kept = append(kept, e)
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
