package deferral

import (
	"context"
	"reflect"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Captures are the objects of a response with deferred fragments. The goroutines of its fields add them, each before
// the objects within it. The operation's limits bound their number. They end with the response.
type Captures struct {
	mu   sync.Mutex
	list []capture
}

// capture is an object of a response, at its path.
type capture struct {
	at     *place
	path   ast.Path
	object any
	field  *graphql.FieldContext
}

// Add adds what a field of the plan has resolved to: an object, or a list of objects.
func (c *Captures) Add(plan *Plan, field *graphql.FieldContext, result any) {
	if field == nil || field.Field.Field == nil {
		return
	}
	at := plan.places[field.Field.Position]
	if at == nil || result == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	value := reflect.ValueOf(result)
	if value.Kind() != reflect.Slice {
		c.add(at, field, value)
		return
	}
	for i := range value.Len() {
		c.add(at, &graphql.FieldContext{Parent: field, Index: &i}, value.Index(i))
	}
}

// add adds an object unless it is null.
func (c *Captures) add(at *place, field *graphql.FieldContext, object reflect.Value) {
	if object.Kind() == reflect.Struct { // gqlgen's functions have pointers
		copied := reflect.New(object.Type())
		copied.Elem().Set(object)
		object = copied
	}
	if !object.IsNil() {
		c.list = append(c.list, capture{at, field.Path(), object.Interface(), field})
	}
}

// take returns the captures that are not within a null. nulls are the paths that are null because of an error.
func (c *Captures) take(nulls []ast.Path) (alive []capture) {
	c.mu.Lock()
	defer c.mu.Unlock()
	isNull := make(map[string]bool, len(nulls))
	for _, path := range nulls {
		isNull[path.String()] = true
	}
	for _, captured := range c.list {
		if !withinNull(captured.path, isNull) {
			alive = append(alive, captured)
		}
	}
	c.list = nil
	return alive
}

// withinNull reports whether a path or the beginning of it is null.
func withinNull(path ast.Path, isNull map[string]bool) bool {
	for i := range len(path) + 1 {
		if isNull[path[:i].String()] {
			return true
		}
	}
	return false
}

// Context returns a context for the execution of the part, with the path of its object.
func (p *Part) Context(ctx context.Context) context.Context { return withField(ctx, p.field) }

// withField returns a context with a copy of a field and those that lead to it.
func withField(ctx context.Context, field *graphql.FieldContext) context.Context {
	if field == nil {
		return ctx
	}
	copied := *field
	return graphql.WithFieldContext(withField(ctx, field.Parent), &copied)
}
