package deferral

import (
	"context"
	"reflect"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Captures are the objects with deferred fragments that the execution of a response has found. The goroutines that
// resolve fields add them, an object before the objects in it. The limits of the operation bound their number. They end
// with the response.
type Captures struct {
	mu   sync.Mutex
	list []capture
}

// capture is an object of a response, at its path.
type capture struct {
	plan   *objectPlan
	path   ast.Path
	object any
	field  *graphql.FieldContext
}

// Add adds what a field of the plan has resolved to: an object, or a list of objects.
func (c *Captures) Add(plan *Plan, field *graphql.FieldContext, result any) {
	if field == nil || field.Field.Field == nil {
		return
	}
	object := plan.objects[field.Field.Position]
	if object == nil || result == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	value := reflect.ValueOf(result)
	if value.Kind() != reflect.Slice {
		c.add(object, field, value)
		return
	}
	for i := range value.Len() {
		c.add(object, &graphql.FieldContext{Parent: field, Index: &i}, value.Index(i))
	}
}

// add adds an object unless it is null.
func (c *Captures) add(plan *objectPlan, field *graphql.FieldContext, object reflect.Value) {
	if object.Kind() == reflect.Struct { // gqlgen's functions take pointers
		copied := reflect.New(object.Type())
		copied.Elem().Set(object)
		object = copied
	}
	if !object.IsNil() {
		c.list = append(c.list, capture{plan, field.Path(), object.Interface(), field})
	}
}

// take returns the captured objects, without those that are in a null. nulls has the paths that are null because of an
// error.
func (c *Captures) take(nulls []ast.Path) (captured []capture) {
	c.mu.Lock()
	defer c.mu.Unlock()
	isNull := make(map[string]bool, len(nulls))
	for _, path := range nulls {
		isNull[path.String()] = true
	}
	for _, each := range c.list {
		if !withinNull(each.path, isNull) {
			captured = append(captured, each)
		}
	}
	c.list = nil
	return captured
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
