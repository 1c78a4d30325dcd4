package graph

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
)

// sortErrors is the interceptor that collects the errors of a response, puts them into the order of its fields, and keeps
// one for each null: a record that is broken in five of the selected fields is one null, for the first of the five reasons.
// gqlgen runs fields side by side, so without it the order would change from one request to the next. Only what is kept is
// presented, and one error more than an answer may have at most.
func (p presenter) sortErrors(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	noted, ok := ctx.Value(failuresKey{}).(*failures)
	if !ok || !graphql.HasOperationContext(ctx) || graphql.GetOperationContext(ctx).Operation == nil {
		return next(ctx) // it was refused before it ran
	}
	collected := &noted.raised
	collected.open(quota.FromContext(ctx))
	response := next(ctx)
	if response == nil || len(collected.errors) == 0 {
		return response
	}
	operation := graphql.GetOperationContext(ctx)
	root := newLayout(operation, operation.Operation.SelectionSet, "Query")
	located := make([]locatedError, len(collected.errors))
	for i, raised := range collected.errors {
		located[i] = root.locate(operation, raised)
	}
	slices.SortStableFunc(located, func(a, b locatedError) int { return slices.Compare(a.place, b.place) })
	for _, kept := range onePerNull(located) {
		if p.maxErrors > 0 && len(response.Errors) > p.maxErrors {
			break
		}
		if shown := p.show(ctx, kept.raised.field, kept.err); shown != nil {
			response.Errors = append(response.Errors, shown)
		}
	}
	if collected.dropped {
		response.Errors = append(response.Errors, p.show(ctx, nil, transport.TooManyErrors(p.maxErrors)))
	}
	return response
}

// errorList is the errors of one response, as they are raised. Bound: each takes raisedBytes of the memory that its request
// may hold; one more is dropped. It is filled by the operation's fields and ends with the response.
type errorList struct {
	mu      sync.Mutex
	opened  bool // whether errors are collected
	account *quota.Account
	errors  []raisedError
	dropped bool
}

func (l *errorList) open(account *quota.Account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened, l.account = true, account
}

// raisedError is an error with its path, and the field that it was raised in.
type raisedError struct {
	err   *gqlerror.Error
	field *graphql.FieldContext
}

// raisedBytes is what an error takes about, with its path and its causes.
const raisedBytes = 1 << 10

// raise collects an error of the response in ctx; false outside of one.
func raise(ctx context.Context, err error) bool {
	noted, ok := ctx.Value(failuresKey{}).(*failures)
	if !ok {
		return false
	}
	list := &noted.raised
	raised := raisedError{field: graphql.GetFieldContext(ctx)}
	if !errors.As(err, &raised.err) {
		raised.err = gqlerror.WrapPath(graphql.GetPath(ctx), err)
	}
	list.mu.Lock()
	defer list.mu.Unlock()
	if !list.opened {
		return false
	}
	if list.dropped = list.dropped || list.account.Take(raisedBytes) != nil; !list.dropped {
		list.errors = append(list.errors, raised)
	}
	return true
}

// locatedError is an error and where it stands in the response.
type locatedError struct {
	raised raisedError
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
func (l layout) locate(operation *graphql.OperationContext, raised raisedError) locatedError {
	found := locatedError{raised: raised, err: raised.err}
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
