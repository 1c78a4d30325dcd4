package serve

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/execute/calls"
)

// collect runs an execution and collects its errors.
func (p presenter) collect(
	ctx context.Context, execution *graph.Execution, operation *graphql.OperationContext, run func() *graphql.Response,
) *graphql.Response {
	execution.Errors.Open(execution.Account)
	defer execution.Errors.Close() // after a panic
	response := run()
	if collected := execution.Errors.Close(); len(collected) > 0 {
		p.sortErrors(ctx, operation, response, collected)
	}
	return p.boundResponse(ctx, execution, response)
}

// sortErrors adds the errors of a response in the order of its fields, and one for each null: a record with five
// invalid fields is one null, with the first of the five errors. Since fields are executed concurrently, the order
// would otherwise vary between requests. Only the kept errors are formatted, at most one more than a response may have:
// by that one the transport knows that errors were dropped.
func (p presenter) sortErrors(
	ctx context.Context, operation *graphql.OperationContext, response *graphql.Response, collected []graph.RaisedError,
) {
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
		shown := p.show(ctx, kept.raised.Field, kept.err)
		if kept.field != nil {
			shown.Locations = []gqlerror.Location{{Line: kept.field.Line, Column: kept.field.Column}}
		}
		response.Errors = append(response.Errors, shown)
	}
}

// locatedError is an error with its position in the response.
type locatedError struct {
	raised graph.RaisedError
	err    *gqlerror.Error
	place  []int         // the path as numbers: positions of fields in their selection sets, and indexes of elements
	field  *ast.Position // of the last field in the path, in the document; nil without one
	null   int           // the length of the path to the null that replaces the data in error
}

// layout maps the response keys of a selection set to their positions and fields.
type layout map[string]*layoutField

// layoutField is the field of one response key.
type layoutField struct {
	position int
	field    graphql.CollectedField
	below    map[string]layout // by the types of its objects; they are added at their first use
	// represented are the representations that determine these types; nil before their first use, and for one type.
	represented []any
}

// layout returns the layout of an object of the field, whose path ends with rest: of the only element if it is no list.
// Only an error below an element needs its type, which is then one of the schema.
func (f *layoutField) layout(operation *graphql.OperationContext, rest ast.Path) layout {
	typeName := f.field.Definition.Type.Name()
	if typeName == calls.Entity && len(rest) > 1 {
		if f.represented == nil {
			f.represented = graphql.CoerceList(f.field.ArgumentMap(operation.Variables)[calls.Representations])
		}
		if i, ok := rest[0].(ast.PathIndex); ok && int(i) < len(f.represented) {
			typeName = calls.TypeOf(f.represented[i])
		}
	}
	found, ok := f.below[typeName]
	if !ok {
		found = newLayout(operation, f.field.Selections, typeName)
		if f.below == nil {
			f.below = map[string]layout{}
		}
		f.below[typeName] = found
	}
	return found
}

// newLayout returns the layout of a selection set on a type, collected in the same way as by gqlgen's executor.
func newLayout(operation *graphql.OperationContext, set ast.SelectionSet, typeName string) layout {
	l := layout{}
	for i, field := range graphql.CollectFields(operation, set, []string{typeName, calls.Entity}) {
		l[field.Alias] = &layoutField{position: i, field: field}
	}
	return l
}

// locate follows an error's path through the operation.
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
			found.field = field.field.Position
			l, found.place = field.layout(operation, found.err.Path[i+1:]), append(found.place, field.position)
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

// onePerNull keeps the first of the sorted errors for each null. It drops errors inside a null that another error
// explains.
func onePerNull(sorted []locatedError) []locatedError {
	nulls := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		nulls[e.err.Path[:e.null].String()] = e.null > 0
	}
	kept := sorted[:0]
	reported := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		null := e.err.Path[:e.null].String()
		if len(e.err.Path) > 0 && (reported[null] || insideNull(e.err.Path[:e.null], nulls)) {
			continue
		}
		reported[null] = true
		kept = append(kept, e)
	}
	return kept
}

// insideNull reports whether a proper prefix of the path is null.
func insideNull(path ast.Path, nulls map[string]bool) bool {
	for i := 1; i < len(path); i++ {
		if nulls[path[:i].String()] {
			return true
		}
	}
	return false
}
