// Package projection is the fast path: for a root field whose selection leads to other records only by links to one record it
// copies the selected values from the bytes that the API sent straight into the answer, instead of running gqlgen's executor
// field by field.
//
// gqlgen's executor over the accessors of package upstream is the meaning of every query, and the reference: what is
// answered here must be the same, byte for byte, data and errors (graph/pipeline/differential_test.go). gqlgen still parses,
// validates, coerces arguments and calls the resolver; only what the resolver found is written here. What this package
// does not take, it leaves to gqlgen: the rule is in compile.go, in one place.
//
// Read first: Projector.Intercept.
package projection

import (
	"context"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/calls"
	"pixgraph/graph/documents"
	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// Config says what a projector follows and counts. All of it but MaxErrors is needed.
type Config struct {
	Schema    *ast.Schema
	Calls     calls.Fields     // that the schema declares
	Documents *documents.Cache // of the executor; plans are kept with their document
	Links     Links
	Unknown   Unknown
	MaxErrors int // of a root field that are kept; 0 for all
}

// Projector answers root fields from bytes.
type Projector struct {
	config         Config
	answered, left atomic.Uint64
}

// Unknown counts the texts that enums have no value for, by the enum's name. The map itself never changes.
type Unknown map[string]*atomic.Uint64

// Links says how a declared field leads from a record to another one; nil where it does not lead to one record.
type Links func(*calls.Field) Follow

// Follow begins to fetch the record that a link leads to, and returns what waits for it: nil when it leads nowhere, without an
// error. All links of a record begin before one is waited for. The path of the link in the answer can be read until then.
type Follow func(ctx context.Context, from upstream.Raw, at func() ast.Path) (wait func() (*upstream.Raw, error))

// plan is a compiled root field.
type plan struct {
	taken    bool         // false where it is left to gqlgen
	typeName string       // of the field
	record   *object      // of a record, or of each in a list
	parts    []part       // of a page of records
	shallow  bool         // whether nothing within the objects of a record is selected
	size     atomic.Int64 // bytes of the last answer: the next one is expected to be as large, for any caller
}

// New makes a projector.
func New(config Config) *Projector { return &Projector{config: config} }

// Intercept is a graphql.RootFieldMiddleware, given the captures and the account of the request. It lets the field's resolver
// run, takes over what it found, and writes the selection of it.
func (p *Projector) Intercept(ctx context.Context, next graphql.RootResolver, captures *Captures, account *quota.Account) graphql.Marshaler {
	field := graphql.GetRootFieldContext(ctx).Field
	if !account.Write(0, rootFieldBytes) {
		return graphql.Null
	}
	plan := p.plan(graphql.GetOperationContext(ctx), field, account)
	if account.Failed() != nil {
		return graphql.Null
	}
	if !plan.taken {
		if !strings.HasPrefix(field.Name, "__") {
			p.left.Add(1)
		}
		return next(ctx)
	}
	captured := captures.open(field.Alias, plan.shallow)
	answer := next(ctx)
	if captured.found == nil && answer != graphql.Null {
		p.left.Add(1) // the resolver did not offer what it found
		return answer
	}
	p.answered.Add(1)
	if captured.found == nil {
		return answer
	}
	w := newWriter(ctx, account, field.Alias, int(plan.size.Load())+sizeMargin, p.config.MaxErrors)
	written := captured.found.write(w, plan)
	if !w.finish() {
		w.release()
		return graphql.Null // of an answer that is replaced as a whole: quota.Account.Failed
	}
	if !written {
		w.buf = append(w.buf[:w.begin], "null"...)
	}
	plan.size.Store(int64(min(len(w.buf), buffer.Most-sizeMargin)))
	for _, e := range w.errs {
		graphql.AddError(ctx, e.located())
	}
	answer = &finished{w.buf, w.begin, w.account}
	w.release() // not deferred: after a panic other goroutines may still use it
	return answer
}

// Answered is how many root fields were answered here.
func (p *Projector) Answered() uint64 { return p.answered.Load() }

// Left is how many root fields were left to gqlgen. What asks for the schema is never one to answer, and does not count.
func (p *Projector) Left() uint64 { return p.left.Load() }

// rootFieldBytes is what a root field takes while it waits for its call: a goroutine, its stack, contexts.
const rootFieldBytes = 12 << 10

// sizeMargin keeps an answer that is a little larger than the last one from growing its buffer.
const sizeMargin = 256

// conditionsKey stands in documents.PlanKey.Conditions for the names of the variables: values are digits.
const conditionsKey = "names"

// plan finds or compiles the plan of a root field. It depends on nothing but its key: the text of the document, the
// operation, the field, and the values of the variables that decide what is selected.
//
// The request that compiles a plan holds it until it ends, also when it is evicted before, so that its account is charged.
func (p *Projector) plan(operation *graphql.OperationContext, field graphql.CollectedField, account *quota.Account) *plan {
	key := documents.PlanKey{Operation: operation.Operation, ResponseKey: field.Alias}
	if len(operation.Operation.VariableDefinitions) > 0 {
		key.Conditions = valuesOf(p.conditions(operation, key), operation.Variables)
	}
	if known, ok := p.config.Documents.Plan(operation.Doc, key); ok {
		return known.(*plan)
	}
	compiled, size := p.compile(operation, field)
	_ = account.Write(0, size) // the answer fails where there is no memory
	p.config.Documents.Keep(operation.Doc, key, compiled, size)
	return compiled
}

// conditions are the names of the variables that decide what is selected of a root field.
func (p *Projector) conditions(operation *graphql.OperationContext, key documents.PlanKey) []string {
	key.Conditions = conditionsKey
	if known, ok := p.config.Documents.Plan(operation.Doc, key); ok {
		return known.([]string)
	}
	names := conditionsOf(operation, key.ResponseKey)
	p.config.Documents.Keep(operation.Doc, key, names, len(names)*int(unsafe.Sizeof("")))
	return names
}
