package projection

import (
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/documents"
	"pixgraph/internal/quota"
)

// operation is the plan of an operation: its root fields, in the order of the response.
type operation struct {
	roots         []root
	introspection bool // whether it has nothing else
}

// root is a root field.
type root struct {
	field graphql.CollectedField
	key   []byte // the alias as written, with quotes and colon
	plan  *plan  // nil for a field that gqlgen executes
	// alone is the operation with only this field; nil for a field with a plan.
	alone *ast.OperationDefinition
}

// plan is a compiled root field.
type plan struct {
	*selection
	required bool         // whether the data is null if the field is
	shallow  bool         // whether nothing within the objects of a record is selected
	size     atomic.Int64 // bytes of the last response, of any caller: the initial capacity for the next one
}

// introspects reports whether a root field is one of introspection: __schema, __type or __typename.
func introspects(field graphql.CollectedField) bool { return strings.HasPrefix(field.Name, "__") }

// operation returns the plan of an operation, and compiles it if it is not cached. A plan depends only on its key: the
// text of the document, the operation, which determines what is deferred, and the values of the variables in its
// conditions.
//
// A request that compiles a plan holds it until the request ends, even if the plan is evicted earlier. So its account
// is charged.
func (p *Projector) operation(context *graphql.OperationContext, deferred *deferral.Plan, account *quota.Account) *operation {
	key := p.config.Documents.Key(context)
	if known, ok := p.config.Documents.Plan(context.Doc, key); ok {
		return known.(*operation)
	}
	compiled, size := p.compile(context, deferred)
	_ = account.Write(0, int(size)) // without enough memory, the response fails
	p.config.Documents.Keep(context.Doc, key, compiled, size)
	return compiled
}

// compile compiles an operation and returns the size of its plan.
func (p *Projector) compile(context *graphql.OperationContext, deferred *deferral.Plan) (*operation, documents.Size) {
	made := &operation{introspection: true}
	c := &compiler{Config: &p.config, enums: p.enums, operation: context, deferred: deferred}
	for _, field := range graphql.CollectFields(context, context.Operation.SelectionSet, []string{p.config.Schema.Query.Name}) {
		r := root{field: field, key: []byte(`"` + field.Alias + `":`)}
		if introspects(field) {
			r.alone = alone(context.Operation, field)
			c.size.Add("") // the operation
		} else {
			r.plan, made.introspection = c.root(field), false
		}
		made.roots = append(made.roots, r)
		c.size.Add(field.Alias)
		c.size += documents.Size(2 * 8 * cap(field.Selections)) // interfaces
	}
	return made, c.size
}

// alone returns the operation with only one of its root fields. The conditions of the field were evaluated when it was
// collected.
func alone(operation *ast.OperationDefinition, collected graphql.CollectedField) *ast.OperationDefinition {
	field := *collected.Field
	field.SelectionSet, field.Directives = collected.Selections, nil
	other := *operation
	other.SelectionSet = ast.SelectionSet{&field}
	return &other
}
