package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/guard/limits"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// MaxIDs bounds the ids that one field may look up.
const MaxIDs = limits.MaxIDs

// loaders fetch single records for one response, each record once, even if several fields request it. They are not
// shared between requests, since the records were read with one caller's token. Key: the kind and the id of a record.
// Bound: the cost of the operation bounds the number of records, and the account of the execution their bytes. They are
// released with the execution.
type loaders struct {
	lookups *Lookups
	alone   string // the noun of the only record that the operation can fetch, without a loader; "" for none

	mu   sync.Mutex
	used []anyLoader // in the order of the lookups; nil if unused, since most operations use one kind or none
}

// anyLoader is a loader of any kind.
type anyLoader interface{ count() int }

// loaderOf returns the loader of the execution in ctx for one kind of record.
func loaderOf[T upstream.Resource](ctx context.Context) *loader[T] {
	e := ExecutionOf(ctx).ofOperation()
	l := &e.loaders
	l.mu.Lock()
	defer l.mu.Unlock()
	lookup, i := lookupOf[T](l.lookups)
	if l.used == nil {
		l.used = make([]anyLoader, len(l.lookups.entries))
	}
	if l.used[i] == nil {
		l.used[i] = &loader[T]{lookup: lookup, execution: e}
	}
	return l.used[i].(*loader[T])
}

// Fetched is the number of distinct records of one kind that a response fetched by id, with one call each.
type Fetched struct {
	Noun    string
	Records int
}

// Fetched returns the counts of the kinds with at least one fetched record.
func (e *Execution) Fetched() (counts []Fetched) {
	l := &e.loaders
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alone != "" {
		return []Fetched{{l.alone, 1}}
	}
	for i, loader := range l.used {
		if loader != nil && loader.count() > 0 {
			counts = append(counts, Fetched{l.lookups.entries[i].name(), loader.count()})
		}
	}
	return counts
}

// loader fetches records of one kind by id. The APIs cannot look up several ids in one call, so a batch has one id;
// dataloader serves only to coalesce and cache. Package client bounds the number of concurrent calls.
type loader[T upstream.Resource] struct {
	*lookup[T]
	execution *Execution
	fetched   atomic.Int64

	mu      sync.Mutex
	batch   *dataloader.Loader[string, *T] // nil before its first use
	started dataloader.Cache[string, *T]   // of batch
}

func (l *loader[T]) count() int { return int(l.fetched.Load()) }

// isStarted reports whether a field has requested a record before. The loader is locked.
func (l *loader[T]) isStarted(ctx context.Context, key string) bool {
	if l.batch == nil {
		l.open()
	}
	_, started := l.started.Get(ctx, key)
	return started
}

func (l *loader[T]) open() {
	l.started = dataloader.NewCache[string, *T]()
	l.batch = dataloader.NewBatchedLoader(l.fetchAll, dataloader.WithCache(l.started),
		dataloader.WithBatchCapacity[string, *T](1), dataloader.WithInputCapacity[string, *T](1))
}

// fetchAll is dataloader's batch function. Its batches have one id.
func (l *loader[T]) fetchAll(ctx context.Context, ids []string) []*dataloader.Result[*T] {
	growStack(0)
	results := make([]*dataloader.Result[*T], len(ids))
	for i, id := range ids {
		record, err := l.fetchOne(ctx, id)
		l.execution.Account.Return(quota.Goroutine)
		results[i] = &dataloader.Result[*T]{Data: record, Error: err}
	}
	return results
}

func (l *loader[T]) fetchOne(ctx context.Context, id string) (*T, error) {
	session := l.execution.session
	if tracing := l.execution.Trace; tracing != nil {
		session = session.With(recordObserver{l.execution, tracing.FieldsOf(l.noun, id)})
	}
	l.fetched.Add(1)
	return l.call(ctx, l.execution, session, id)
}

// errPanicked is the error of the fields that wait for a record, if the one that fetches it panics.
var errPanicked = errors.New("the field that fetched the record panicked")

// load fetches a record in the goroutine that a root field has, and puts the promise of it into dataloader's cache for
// the other fields. If one of them has requested it before, load waits for that.
func (l *loader[T]) load(ctx context.Context, id string) (record *T, err error) {
	key := l.id.Canonical(id)
	l.mu.Lock()
	if l.isStarted(ctx, key) {
		l.mu.Unlock()
		return l.start(ctx, id, currentPath(ctx))()
	}
	if err := l.execution.Account.Take(quota.Goroutine); err != nil { // its stack is larger than that of other root fields
		l.mu.Unlock()
		return nil, err
	}
	defer l.execution.Account.Return(quota.Goroutine)
	done := make(chan struct{})
	defer close(done)
	err = errPanicked
	l.started.Set(ctx, key, func() (*T, error) {
		<-done
		return record, err
	})
	l.mu.Unlock()
	l.request(key, currentPath(ctx))
	return l.fetchOne(ctx, key)
}

// request counts and traces the request of the field at a path.
func (l *loader[T]) request(key string, at func() ast.Path) {
	l.requested.Add(1)
	if tracing := l.execution.Trace; tracing != nil {
		tracing.AddField(l.noun, key, at())
	}
}

// growStack lets the runtime grow the stack of a new goroutine for a call, to 8 KiB. Otherwise the stack grows within
// the call, in steps that each copy its frames, which took 5 % of the processor time of 20 links.
//
//go:noinline
func growStack(i int) byte {
	var room [5 << 10]byte
	return room[i]
}

// call fetches a record for an execution.
func (l *lookup[T]) call(ctx context.Context, e *Execution, session *client.Session, id string) (*T, error) {
	l.called.Add(1)
	record, err := l.fetch(session, ctx, id)
	if read, ok := any(record).(*upstream.Notification); ok && err == nil {
		e.noteLink(read)
	}
	if lookups := e.loaders.lookups; err == nil && lookups != nil && e.Event == nil {
		live.SeenRecord(lookups.Live, l.noun, id, record)
	}
	return record, err
}

// start starts to fetch a record for the field at a path, and returns a function that waits for it.
func (l *loader[T]) start(ctx context.Context, id string, at func() ast.Path) func() (*T, error) {
	key := l.id.Canonical(id)
	l.request(key, at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isStarted(ctx, key) {
		if err := l.execution.Account.Take(quota.Goroutine); err != nil {
			return func() (*T, error) { return nil, err }
		}
	}
	return l.batch.Load(ctx, key)
}

// currentPath returns the path of the field that is being resolved.
func currentPath(ctx context.Context) func() ast.Path {
	return func() ast.Path { return graphql.GetPath(ctx) }
}

// loadAll fetches records in the order of their ids.
func (l *loader[T]) loadAll(ctx context.Context, ids []string) ([]*T, error) {
	if len(ids) < 1 || len(ids) > MaxIDs {
		return nil, apierror.Input("ids", fmt.Sprintf("must have 1 to %d ids", MaxIDs))
	}
	return fetchEach(ctx, ids, l.start), nil
}

// fetchEach fetches the records of a list field, in the order of what they are fetched by. start starts to fetch the
// record for the element at a path, and returns a function that waits for it. A record that cannot be fetched yields
// nil at its index, and an error with the path of that element.
func fetchEach[By, T any](ctx context.Context, list []By, start func(context.Context, By, func() ast.Path) func() (T, error)) []T {
	waiting := make([]func() (T, error), len(list))
	for i, by := range list {
		waiting[i] = start(ctx, by, func() ast.Path { return append(graphql.GetPath(ctx), ast.PathIndex(i)) })
	}
	records := make([]T, len(list))
	for i, wait := range waiting {
		record, err := wait()
		if err != nil {
			paging.AddElementError(ctx, i, err)
			continue
		}
		records[i] = record
	}
	return records
}

// follow starts to fetch the record whose id is in a member of another record, and returns a function that waits for
// it. A record that does not exist is nil without an error.
func (l *loader[T]) follow(ctx context.Context, from upstream.Raw, by calls.Member, at func() ast.Path) func() (*T, error) {
	text, err := from.Text(by.Name, by.Required)
	id := text.String()
	if err != nil || text == nil || !l.id.Valid(id) {
		return func() (*T, error) { return nil, err }
	}
	wait := l.start(ctx, id, at)
	return func() (*T, error) {
		record, err := wait()
		if upstream.KindOf(err) == upstream.KindNotFound {
			return nil, nil // in GraphQL such a link is null without an error
		}
		return record, err
	}
}
