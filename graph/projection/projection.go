// Package projection is the fast path: for a root field whose selection leads to no other resource it copies the selected
// values from the bytes that the API sent straight into the answer, instead of running gqlgen's executor field by field.
//
// gqlgen's executor over the accessors of package upstream is the meaning of every query, and the reference: what is
// answered here must be the same, byte for byte, data and errors (graph/differential_test.go). gqlgen still parses,
// validates, coerces arguments and calls the resolver; only what the resolver found is written here. What this package
// does not take, it leaves to gqlgen: the rule is in compile.go, in one place.
//
// Read first: Projector.Intercept.
package projection

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream"
)

// keptPlans is how many compiled selections are remembered: those of as many documents as gqlgen keeps, at a few root
// fields each.
const keptPlans = 2000

// Projector answers root fields from bytes.
type Projector struct {
	schema *ast.Schema
	links  Links
	plans  *lru.Cache[planKey, *plan]

	unknown        Unknown
	answered, left atomic.Uint64
}

// Unknown counts the texts that enums have no value for, by the enum's name. The map itself never changes.
type Unknown map[string]*atomic.Uint64

// Links are the fields that lead from a record to another one, by "Type.field". A link begins to fetch at once and returns
// what waits for the record; nil when it leads nowhere, without an error. All links of a record begin before one is waited
// for. The path of the link in the answer can be asked for until then.
type Links map[string]follow

type follow func(ctx context.Context, from upstream.Raw, at func() ast.Path) (wait func() (*upstream.Raw, error))

// planKey tells selections apart: the field of a cached document, and the variables that @skip and @include may ask for.
type planKey struct {
	field    *ast.Field
	booleans string
}

// plan is a compiled root field; its answer is nil when it is left to gqlgen.
type plan struct {
	answer  answerer
	shallow bool         // whether nothing within the objects of a record is selected
	size    atomic.Int64 // of the last answer: the next one is as large
}

// New makes a projector for a schema and the links that it is to follow. It counts in unknown what it finds, where there is
// a counter.
func New(schema *ast.Schema, links Links, unknown Unknown) *Projector {
	plans, _ := lru.New[planKey, *plan](keptPlans) // fails only for a size below 1
	return &Projector{schema: schema, links: links, plans: plans, unknown: unknown}
}

// Intercept is a graphql.RootFieldMiddleware. It lets the field's resolver run, takes over what it found, and writes the
// selection of it.
func (p *Projector) Intercept(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	field := graphql.GetRootFieldContext(ctx).Field
	plan := p.plan(graphql.GetOperationContext(ctx), field)
	if plan.answer == nil {
		if !strings.HasPrefix(field.Name, "__") {
			p.left.Add(1)
		}
		return next(ctx)
	}
	p.answered.Add(1)
	found := &finding{shallow: plan.shallow}
	null := next(context.WithValue(ctx, findingKey{}, found))
	if found.value == nil {
		return null
	}
	w := newWriter(ctx, field.Alias, int(plan.size.Load())+sizeMargin)
	defer w.release()
	if !plan.answer(w, found.value) {
		w.buf = append(w.buf[:w.begin], "null"...)
	}
	plan.size.Store(int64(len(w.buf)))
	for _, e := range w.errs {
		graphql.AddError(ctx, e.located())
	}
	return &finished{w.buf, w.begin}
}

// Answered is how many root fields were answered here.
func (p *Projector) Answered() uint64 { return p.answered.Load() }

// Left is how many root fields were left to gqlgen. What asks for the schema is never one to answer, and does not count.
func (p *Projector) Left() uint64 { return p.left.Load() }

// sizeMargin keeps an answer that is a little larger than the last one from growing its buffer.
const sizeMargin = 256

// plan finds or compiles the plan of a root field.
func (p *Projector) plan(operation *graphql.OperationContext, field graphql.CollectedField) *plan {
	key := planKey{field.Field, booleans(operation)}
	if known, ok := p.plans.Get(key); ok {
		return known
	}
	compiled := &plan{}
	compiled.answer, compiled.shallow = compile(p, operation, field)
	p.plans.Add(key, compiled)
	return compiled
}

// booleans are the values of an operation's Boolean variables, the only ones that directives can ask for.
func booleans(operation *graphql.OperationContext) string {
	var values []byte
	for _, variable := range operation.Operation.VariableDefinitions {
		if variable.Type.NamedType != "Boolean" {
			continue
		}
		value, _ := operation.Variables[variable.Variable].(bool)
		if value {
			values = append(values, '1')
		} else {
			values = append(values, '0')
		}
	}
	return string(values)
}

// finding is where a resolver leaves what it found.
type finding struct {
	value   any
	shallow bool
}

// findingKey is the context key of the finding.
type findingKey struct{}

// Shallow tells the resolver of a list that nothing within the objects of its records is going to be read.
func Shallow(ctx context.Context) bool {
	found, ok := ctx.Value(findingKey{}).(*finding)
	return ok && found.shallow
}

// Offer is for the resolvers of root fields to return through: what they found is taken over where this package writes
// the answer, and returned to gqlgen elsewhere.
func Offer[T any](ctx context.Context, value *T, err error) (*T, error) {
	if found, ok := ctx.Value(findingKey{}).(*finding); ok && err == nil && value != nil {
		found.value = value
		return nil, nil //nolint:nilnil // null is what gqlgen makes of it, and what Intercept replaces
	}
	return value, err
}

// OfferAll is Offer for lists.
func OfferAll[T any](ctx context.Context, values []*T, err error) ([]*T, error) {
	if found, ok := ctx.Value(findingKey{}).(*finding); ok && err == nil && values != nil {
		found.value = values
		return nil, nil
	}
	return values, err
}
