package projection

import (
	"bytes"
	"context"
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
// concurrently. Errors are added to those of the response. The caller owns the data.
func (p *Projector) Execute(ctx context.Context, account *quota.Account) *graphql.Response {
	operation := graphql.GetOperationContext(ctx)
	plan := p.operation(operation, account)
	p.left.Add(uint64(plan.left))
	if plan.planned == 0 {
		return p.config.Executor.Exec(ctx)(ctx)
	}
	p.answered.Add(uint64(plan.planned))
	if !account.Write(0, len(plan.roots)*rootFieldBytes) {
		return &graphql.Response{Data: null}
	}
	e := execution{p, ctx, operation, account}
	if len(plan.roots) == 1 {
		return &graphql.Response{Data: e.join(e.root(&plan.roots[0]))}
	}
	return &graphql.Response{Data: e.join(e.all(plan.roots)...)}
}

var null = []byte("null")

// execution is the execution of one operation.
type execution struct {
	*Projector
	ctx       context.Context
	operation *graphql.OperationContext
	account   *quota.Account
}

// member is a root field in the data, as written: its key and its value. nil bytes mean that the field makes the whole
// data null.
type member struct {
	bytes  []byte
	memory int // charged to the account; more than 0 if the bytes are from package buffer
}

// all executes root fields concurrently, the first of them in the current goroutine.
func (e execution) all(roots []root) []member {
	members := make([]member, len(roots))
	var running sync.WaitGroup
	for i := 1; i < len(roots); i++ {
		running.Go(func() { members[i] = e.root(&roots[i]) })
	}
	members[0] = e.root(&roots[0])
	running.Wait()
	return members
}

// root executes a root field. It recovers from panics, as gqlgen does; the field is then null.
func (e execution) root(r *root) (written member) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err := e.operation.Recover(e.ctx, panicked)
			graphql.AddError(e.ctx, gqlerror.WrapPath(ast.Path{ast.PathName(r.field.Alias)}, err))
			written = member{bytes: append(bytes.Clone(r.key), null...)}
		}
	}()
	if r.plan == nil {
		return e.left(r)
	}
	ctx := e.ctx
	if r.plan.shallow {
		ctx = context.WithValue(ctx, shallowKey{}, true)
	}
	found := e.config.Resolve(ctx, r.field)
	w := newWriter(e.ctx, e.account, r, e.config.MaxErrors)
	if found == nil || !found.write(w, r.plan) {
		w.buf = append(w.buf[:len(r.key)], null...)
	}
	written = w.finish()
	r.plan.size.Store(int64(min(len(written.bytes), buffer.Most-sizeMargin)))
	for _, failed := range w.errs {
		graphql.AddError(e.ctx, failed.located())
	}
	w.release() // not deferred: after a panic, other goroutines may still use it
	return written
}

// left lets gqlgen execute a root field.
func (e execution) left(r *root) member {
	operation := &graphql.OperationContext{
		RawQuery: e.operation.RawQuery, Variables: e.operation.Variables, OperationName: e.operation.OperationName,
		Doc: e.operation.Doc, Extensions: e.operation.Extensions, Headers: e.operation.Headers, Operation: r.alone,
		DisableIntrospection: e.operation.DisableIntrospection, RecoverFunc: e.operation.RecoverFunc,
		ResolverMiddleware: e.operation.ResolverMiddleware, RootResolverMiddleware: e.operation.RootResolverMiddleware,
		Stats: e.operation.Stats,
	}
	ctx := graphql.WithOperationContext(e.ctx, operation)
	data := e.config.Executor.Exec(ctx)(ctx).Data
	if bytes.Equal(data, null) {
		return member{}
	}
	return member{bytes: data[len(`{`) : len(data)-len(`}`)]}
}

// join returns the data with the root fields in order.
func (e execution) join(members ...member) []byte {
	var few [8][]byte // avoids an allocation for operations with few root fields
	parts, size, complete := append(few[:0], []byte(`{`)), len(`{}`), true
	for i, m := range members {
		if i > 0 {
			parts = append(parts, []byte(`,`))
		}
		parts = append(parts, m.bytes)
		size += len(m.bytes) + len(`,`)
		complete = complete && m.bytes != nil
	}
	data := null
	if complete && e.account.Write(0, size) {
		data = bytes.Join(append(parts, []byte(`}`)), nil)
	}
	for _, m := range members {
		if m.memory > 0 {
			buffer.Put(m.bytes)
			e.account.Return(m.memory)
		}
	}
	return data
}

// shallowKey is the context key of Shallow.
type shallowKey struct{}

// Shallow reports whether the response selects nothing within the objects of a list's records. The resolver of the list
// uses it.
func Shallow(ctx context.Context) bool {
	shallow, _ := ctx.Value(shallowKey{}).(bool)
	return shallow
}
