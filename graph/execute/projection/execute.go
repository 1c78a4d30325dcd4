package projection

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

// rootFieldBytes is the memory of a root field that waits for its call: a goroutine, its stack, contexts.
const rootFieldBytes = 12 << 10

// sizeMargin is extra capacity, so that a response that is slightly larger than the last one needs no larger buffer.
const sizeMargin = 256

// Execute executes the query in ctx. It executes the root fields that have plans, and gqlgen executes the others,
// concurrently. Errors are added to those of the response. The caller owns the data, which is nil if gqlgen executed
// all root fields.
func (p *Projector) Execute(ctx context.Context, account *quota.Account) (*graphql.Response, Data) {
	operation := graphql.GetOperationContext(ctx)
	plan := p.operation(operation, account)
	p.delegated.Add(uint64(plan.delegated))
	if plan.planned == 0 {
		return p.config.Executor.Exec(ctx)(ctx), nil
	}
	p.executed.Add(uint64(plan.planned))
	var data Data
	if account.Write(0, len(plan.roots)*rootFieldBytes) {
		e := execution{p, ctx, operation, account}
		if len(plan.roots) == 1 {
			data = e.only(&plan.roots[0])
		} else {
			data = e.all(plan.roots)
		}
	}
	if data == nil {
		return &graphql.Response{Data: null}, nil
	}
	return &graphql.Response{Data: placeholder}, data
}

var null = []byte("null")

// execution is the execution of one operation.
type execution struct {
	*Projector
	ctx       context.Context
	operation *graphql.OperationContext
	account   *quota.Account
}

// only executes an operation with one root field, whose output becomes the data without a copy.
func (e execution) only(r *root) []byte {
	written := e.root(r, "{")
	if written == nil {
		return nil
	}
	return append(written, '}')
}

// all executes root fields and joins their output. The fields of introspection compute, with many goroutines, and the
// others wait. So introspection goes first, as in gqlgen: an operation that waits holds none of these goroutines, and
// computes little without a turn. Then the others run concurrently, the first one in the current goroutine.
func (e execution) all(roots []root) []byte {
	members := make([][]byte, len(roots))
	for i := range roots {
		if roots[i].introspects() {
			members[i] = e.root(&roots[i], "")
		}
	}
	var running sync.WaitGroup
	for i := 1; i < len(roots); i++ {
		if !roots[i].introspects() {
			running.Go(func() { members[i] = e.root(&roots[i], "") })
		}
	}
	if !roots[0].introspects() {
		members[0] = e.root(&roots[0], "")
	}
	running.Wait()
	size := len(`{}`)
	for _, member := range members {
		size += len(member) + len(`,`)
	}
	if slices.ContainsFunc(members, func(m []byte) bool { return m == nil }) || !e.account.Write(0, buffer.Size(size)) {
		return nil
	}
	data := append(buffer.Get(size), '{')
	for i, member := range members {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, member...)
		if roots[i].plan != nil {
			e.account.Return(cap(member))
			buffer.Put(member)
		}
	}
	return append(data, '}')
}

// root executes a root field. It returns the prefix and the member of the data, key and value, or nil if the field
// makes the whole data null. It recovers from panics, as gqlgen does; the field is then null.
func (e execution) root(r *root, prefix string) (written []byte) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err := e.operation.Recover(e.ctx, panicked)
			graphql.AddError(e.ctx, gqlerror.WrapPath(ast.Path{ast.PathName(r.field.Alias)}, err))
			if written = nil; r.plan == nil || !r.plan.required {
				written = append(append(append(buffer.Get(sizeMargin), prefix...), r.key...), null...)
			}
		}
	}()
	if r.plan == nil {
		return e.delegate(r) // there are other root fields, so the prefix is empty
	}
	ctx := e.ctx
	if r.plan.shallow {
		ctx = context.WithValue(ctx, shallowKey{}, true)
	}
	found := e.config.Resolve(ctx, r.field)
	if found == nil && r.plan.required {
		return nil
	}
	w := newWriter(e.ctx, e.account, r, prefix, e.config.MaxErrors)
	if found == nil || !found.write(w, r.plan) {
		w.buf = append(w.buf[:w.begin], null...)
	}
	for _, wait := range w.waiting {
		_, _ = wait() // what was not written, because of an error or a limit: no call outlives its operation
	}
	written = w.finish()
	r.plan.size.Store(int64(min(len(written), buffer.MaxSize-sizeMargin)))
	for _, failed := range w.errs {
		graphql.AddError(e.ctx, failed.located())
	}
	w.release() // not deferred: after a panic, other goroutines may still use it
	return written
}

// delegate lets gqlgen execute a root field. It returns the member of the data, or nil if the whole data is null.
func (e execution) delegate(r *root) []byte {
	ctx := graphql.WithOperationContext(e.ctx, With(e.operation, r.alone))
	data := e.config.Executor.Exec(ctx)(ctx).Data
	if bytes.Equal(data, null) {
		return nil
	}
	return data[len(`{`) : len(data)-len(`}`)]
}

// With returns a copy of an operation's context for another operation of the same document.
func With(of *graphql.OperationContext, operation *ast.OperationDefinition) *graphql.OperationContext {
	return &graphql.OperationContext{
		RawQuery: of.RawQuery, Variables: of.Variables, OperationName: of.OperationName,
		Doc: of.Doc, Extensions: of.Extensions, Headers: of.Headers, Operation: operation,
		DisableIntrospection: of.DisableIntrospection, RecoverFunc: of.RecoverFunc,
		ResolverMiddleware: of.ResolverMiddleware, RootResolverMiddleware: of.RootResolverMiddleware,
		Stats: of.Stats,
	}
}

// shallowKey is the context key of Shallow.
type shallowKey struct{}

// Shallow reports whether the response selects nothing within the objects of a list's records. The resolver of the list
// uses it.
func Shallow(ctx context.Context) bool {
	shallow, _ := ctx.Value(shallowKey{}).(bool)
	return shallow
}
