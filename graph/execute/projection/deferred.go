package projection

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/deferral"
	"pixgraph/internal/quota"
)

// deferred is what is deferred on an object.
type deferred struct {
	object *deferral.Object
	groups []*selection // in the order of object.Groups
}

// deferFrom compiles what is deferred on the object that a field leads to, or on each of its objects; nil for nothing.
func (c *compiler) deferFrom(field *ast.Field, typeName string) *deferred {
	object := c.deferred.Object(field)
	if object == nil {
		return nil
	}
	d := &deferred{object: object}
	for _, group := range object.Groups {
		d.groups = append(d.groups, c.selectionOn(typeName, group.Selection))
	}
	c.size.Add("")
	return d
}

// pending is an object that was written, with fragments that are deferred.
type pending struct {
	found  Found
	groups []*selection
}

// capture keeps the object at the current path for its deferred fragments.
func (w *writer) capture(d *deferred, found Found) {
	w.captured = append(w.captured, deferral.Capture{Object: d.object, Path: w.fullPath(), Value: pending{found, d.groups}})
}

// ExecutePart executes a part of an operation, which is also in ctx. Execute has added the object of the part to its
// captures. It is Execute otherwise.
func (p *Projector) ExecutePart(
	ctx context.Context, operation *graphql.OperationContext, account *quota.Account, turn *quota.Turn,
	part *deferral.Part, captures *deferral.Captures,
) (*graphql.Response, Data) {
	e := execution{p, ctx, operation, account, turn, captures}
	object := part.Value.(pending)
	w := e.newWriter(0)
	w.step()
	for _, element := range part.Path {
		switch element := element.(type) {
		case ast.PathName:
			w.enter(string(element))
		case ast.PathIndex:
			w.enterElement(int(element))
		}
	}
	if !e.write(w, object.found, object.groups[part.Group]) {
		w.undo(mark{})
		w.null()
	}
	return handOver(e.finish(w))
}
