// Package deferral plans which fragments of an operation are deferred (@defer), and keeps the order of their parts:
// what is executed first, what afterwards for which object of the response, and when a fragment is complete. It
// executes nothing, and knows no format.
//
// A fragment is deferred if it has a field with calls, outside deferred fragments within it, that the selection set
// around it does not have. Other fragments with @defer are part of that selection set, as the draft of the
// specification permits.
//
// The algorithm is that of the draft (Incremental Delivery, as in graphql-js 17.0.0-alpha.9), except for this rule.
//
// Read Planner.Plan first, then Schedule.
package deferral

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/documents"
	"pixgraph/internal/quota"
)

// Plan is how an operation with deferred fragments is executed. It is immutable.
type Plan struct {
	// Initial is the operation without its deferred fragments.
	Initial *ast.OperationDefinition
	root    *Object                   // nil if no fragment of the operation itself is deferred
	objects map[*ast.Position]*Object // by the field that leads to the object; copies of a field have its position
}

// Object returns what is deferred on the object that a field of the plan leads to, or on each of its objects; nil for
// nothing, or without a plan.
func (p *Plan) Object(field *ast.Field) *Object {
	if p == nil {
		return nil
	}
	return p.objects[field.Position]
}

// Object is how a selection set with deferred fragments is executed on each of its objects (an ExecutionPlan of
// graphql-js).
type Object struct {
	Groups []*Group      // the fields that are deferred, by the usages or by fragments around the object
	usages []*deferUsage // the fragments that are deferred on the object
}

// deferUsage is a deferred fragment of a selection set (a DeferUsage of graphql-js).
type deferUsage struct {
	label  *string     // nil without a label
	parent *deferUsage // the deferred fragment around it; nil for the operation
	depth  int         // the length of the path to its objects
}

// Group is the fields of an object that belong to the same deferred fragments.
type Group struct {
	Selection ast.SelectionSet
	usages    []*deferUsage
	operation *ast.OperationDefinition // with the selection; nil unless it is on the root
}

// Planner makes plans. The documents keep them.
type Planner struct {
	Calls     calls.Fields
	Documents *documents.Cache
	Entities  bool // whether documents may select records of several types
}

// Plan returns the plan of an operation; nil if no fragment is deferred. If repeated, a fragment has all of its fields,
// as in the format of 2022; otherwise only those that no earlier part has.
//
// A request that makes a plan holds it until it ends, so its account is charged.
func (p *Planner) Plan(operation *graphql.OperationContext, repeated bool, account *quota.Account) *Plan {
	if !documents.Defers(operation.Operation) || p.Entities && mentionsEntities(operation.RawQuery) {
		return nil
	}
	key := p.Documents.Key(operation)
	if key.Conditions = "defer" + key.Conditions; repeated {
		key.Conditions = "repeated " + key.Conditions
	}
	if known, ok := p.Documents.Plan(operation.Doc, key); ok {
		return known.(*Plan)
	}
	plan, size := p.compile(operation, repeated)
	_ = account.Write(0, int(size)) // without enough memory, the response fails
	p.Documents.Keep(operation.Doc, key, plan, size)
	return plan
}

// mentionsEntities reports whether a document may select records of several types, whose fields the algorithm would
// merge. Such a document is not deferred; only routers of federated schemas send it, without @defer.
func mentionsEntities(document string) bool {
	return strings.Contains(document, "_entities") || strings.Contains(document, calls.Entity)
}

// compile returns a plan, which is nil if no fragment is deferred, and its size in bytes.
func (p *Planner) compile(operation *graphql.OperationContext, repeated bool) (*Plan, documents.Size) {
	c := &compiler{Planner: p, operation: operation, repeated: repeated, plan: &Plan{objects: map[*ast.Position]*Object{}}}
	root := operation.Operation
	selection, object := c.compileObject([]source{{root.SelectionSet, nil}}, nil, 0)
	if !c.deferred {
		return nil, c.size
	}
	c.plan.Initial, c.plan.root = c.withSelection(selection), object
	if object != nil {
		for _, g := range object.Groups {
			g.operation = c.withSelection(g.Selection)
		}
	}
	return c.plan, c.size
}

// withSelection returns the operation with another selection set.
func (c *compiler) withSelection(selection ast.SelectionSet) *ast.OperationDefinition {
	other := *c.operation.Operation
	other.SelectionSet = selection
	c.size.Add("")
	return &other
}
