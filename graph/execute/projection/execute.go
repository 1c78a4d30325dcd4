package projection

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/execute/deferral"
	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

// sizeMargin is extra capacity, so that a response that is slightly larger than the last one needs no larger buffer.
const sizeMargin = 256

// Execute executes a query, which is also in ctx, in a turn, without what a plan defers, whose objects it adds to
// captures. gqlgen executes its introspection. Errors are added to those of the response. The caller owns the data of
// the response as a Data, which is nil if gqlgen executed all root fields.
func (p *Projector) Execute(
	ctx context.Context, operation *graphql.OperationContext, account *quota.Account, turn *quota.Turn,
	deferred *deferral.Plan, captures *deferral.Captures,
) (*graphql.Response, Data) {
	plan := p.operation(operation, deferred, account)
	if plan.introspection {
		return p.introspect(ctx), nil
	}
	if !account.Write(0, len(plan.roots)*quota.Goroutine) {
		return handOver(nil)
	}
	e := execution{p, ctx, operation, account, turn, captures}
	if len(plan.roots) == 1 {
		return handOver(e.only(&plan.roots[0]))
	}
	return handOver(e.all(plan.roots))
}

// handOver returns a response with data; nil for null.
func handOver(data []byte) (*graphql.Response, Data) {
	if data == nil {
		return &graphql.Response{Data: null}, nil
	}
	return &graphql.Response{Data: data}, data
}

// null has no capacity that a sender could append to.
var null = slices.Clip([]byte("null"))

// introspect lets gqlgen execute the operation in ctx.
func (p *Projector) introspect(ctx context.Context) *graphql.Response {
	return p.config.Executor.Exec(ctx)(ctx)
}

// execution is the execution of one operation.
type execution struct {
	*Projector
	ctx       context.Context
	operation *graphql.OperationContext
	account   *quota.Account
	turn      *quota.Turn
	captures  *deferral.Captures // nil if nothing is deferred
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
		if roots[i].plan == nil {
			members[i] = e.root(&roots[i], "")
		}
	}
	var running sync.WaitGroup
	for i := 1; i < len(roots); i++ {
		if roots[i].plan != nil {
			running.Go(func() {
				growStack(0)
				members[i] = e.root(&roots[i], "")
			})
		}
	}
	if roots[0].plan != nil {
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

// growStack lets the runtime grow the stack of a new goroutine to what a resolver needs that makes a call, 16 KiB.
// Otherwise the stack grows within the call, in steps that each copy its frames.
//
//go:noinline
func growStack(i int) byte {
	var room [9 << 10]byte
	return room[i]
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
	w := e.newWriter(int(r.plan.size.Load()))
	w.step()
	w.buf = append(append(w.buf, prefix...), r.key...)
	w.enter(r.field.Alias)
	if begin := len(w.buf); found == nil || !e.write(w, found, r.plan.selection) {
		w.undo(mark{buf: begin})
		w.null()
	}
	written = e.finish(w)
	r.plan.size.Store(int64(min(len(written), buffer.MaxSize-sizeMargin)))
	return written
}

// write writes what was found at the current path, after it has followed the links in it. It returns false if the value
// is null.
func (e execution) write(w *writer, found Found, s *selection) bool {
	if s.leads {
		w.links = &following{ctx: e.ctx, started: map[link][]Wait{}}
		found.lead(w, s, w.fullPath())
		defer w.links.end()
	}
	return found.write(w, s)
}

// finish adds the errors of a writer and the objects with deferred fragments to those of the response, and returns its
// output, or nil if it is incomplete.
func (e execution) finish(w *writer) []byte {
	written := w.finish()
	for _, failed := range w.errs {
		graphql.AddError(e.ctx, gqlerror.WrapPath(failed.path, failed.err))
	}
	if len(w.captured) > 0 {
		e.captures.Add(w.captured)
	}
	w.release() // not deferred: after a panic, other goroutines may still use it
	return written
}

// delegate lets gqlgen execute a root field. It returns the member of the data, or nil if the whole data is null.
func (e execution) delegate(r *root) []byte {
	ctx := graphql.WithOperationContext(e.ctx, With(e.operation, r.alone))
	data := e.introspect(ctx).Data
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
