package graph

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/calls"
	"pixgraph/graph/limits"
	"pixgraph/graph/paging"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// loaders fetch single records for one response, each once however many fields ask for it. Every request has loaders of its
// own: what a loader remembers was read with its caller's token. Its key is the kind and the id of a record; the cost of the
// operation bounds how many there are, and the account of the request their bytes; they end with the request.
type loaders struct {
	request *Request
	lookups *Lookups

	mu   sync.Mutex
	used []anyLoader // in the order of the lookups, nil where not used: most operations use one kind, or none
}

// anyLoader is a loader of any kind.
type anyLoader interface{ count() int }

// MaxIDs bounds the ids that one field may try: each is an upstream call.
const MaxIDs = 50

// loaderOf returns the loader of the request in ctx for records of one kind.
func loaderOf[T upstream.Resource](ctx context.Context) *loader[T] {
	l := &RequestOf(ctx).loaders
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, entry := range l.lookups.entries {
		if _, ok := entry.(*lookup[T]); !ok {
			continue
		}
		if l.used == nil {
			l.used = make([]anyLoader, len(l.lookups.entries))
		}
		if l.used[i] == nil {
			l.used[i] = entry.newLoader(l.request)
		}
		return l.used[i].(*loader[T])
	}
	panic(fmt.Sprintf("graph: no lookup of %T", *new(T))) // a resolver fetches records that NewLookups does not list
}

// Fetched counts the records of one kind that an answer fetched by their ids, each once: how far it fanned out. Each is a
// call, since the APIs have no lookup of several.
type Fetched struct {
	Noun    string
	Records int
}

// fetched are the counts of the kinds of which a record was fetched.
func (l *loaders) fetched() (counts []Fetched) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, loader := range l.used {
		if loader != nil && loader.count() > 0 {
			counts = append(counts, Fetched{l.lookups.entries[i].name(), loader.count()})
		}
	}
	return counts
}

// loader fetches records of one kind by id. The API has no lookup of several ids, so there is no batch to wait for: a
// batch is one id, and dataloader is here for its memory. How many calls run at a time is upstream's to bound.
type loader[T upstream.Resource] struct {
	*lookup[T]
	request *Request
	fetched atomic.Int64
	opening sync.Once
	batch   *dataloader.Loader[string, *T] // nil until it is used
}

func (l *loader[T]) count() int { return int(l.fetched.Load()) }

func (l *loader[T]) open() {
	l.batch = dataloader.NewBatchedLoader(l.fetchAll,
		dataloader.WithBatchCapacity[string, *T](1), dataloader.WithInputCapacity[string, *T](1))
}

// fetchAll is the batch function of a batch of one.
func (l *loader[T]) fetchAll(ctx context.Context, ids []string) []*dataloader.Result[*T] {
	results := make([]*dataloader.Result[*T], len(ids))
	for i, id := range ids {
		session := l.request.session
		if tracing := l.request.Trace; tracing != nil {
			session = session.With(askedFor{l.request, tracing.AskOf(l.noun, id)})
		}
		record, err := l.call(ctx, session, id)
		l.request.Account.Return(loadBytes)
		results[i] = &dataloader.Result[*T]{Data: record, Error: err}
	}
	return results
}

func (l *loader[T]) call(ctx context.Context, session *client.Session, id string) (*T, error) {
	l.called.Add(1)
	l.fetched.Add(1)
	return l.fetch(session, ctx, id)
}

// load fetches one record. Where that is all the operation can ask for, no other field waits for it, and there is nothing to
// remember.
func (l *loader[T]) load(ctx context.Context, id string) (*T, error) {
	if limits.CostOf(ctx) == 1 {
		l.asked.Add(1)
		return l.call(ctx, l.request.session, l.canonical(id))
	}
	return l.start(ctx, id, here(ctx))()
}

// loadBytes is what fetching a record takes while it waits for its turn: a goroutine, its stack, contexts. It is charged to
// the request meanwhile: an operation may ask for a thousand.
const loadBytes = 6 << 10

// start begins to fetch a record for the field at a path, and returns what waits for it.
func (l *loader[T]) start(ctx context.Context, id string, at func() ast.Path) dataloader.Thunk[*T] {
	l.asked.Add(1)
	if err := l.request.Account.Take(loadBytes); err != nil {
		return func() (*T, error) { return nil, err }
	}
	l.opening.Do(l.open)
	key := l.canonical(id)
	if tracing := l.request.Trace; tracing != nil {
		tracing.Asked(l.noun, key, at())
	}
	return l.batch.Load(ctx, key)
}

// here is the path of the field that is being resolved.
func here(ctx context.Context) func() ast.Path {
	return func() ast.Path { return graphql.GetPath(ctx) }
}

// loadAll fetches records in the order of their ids. One that cannot be fetched leaves a nil at its place, and an error
// under the place's path.
func (l *loader[T]) loadAll(ctx context.Context, ids []string) ([]*T, error) {
	if len(ids) < 1 || len(ids) > MaxIDs {
		return nil, apierror.Input("ids", fmt.Sprintf("must hold 1 to %d ids", MaxIDs))
	}
	waiting := make([]dataloader.Thunk[*T], len(ids))
	for i, id := range ids {
		waiting[i] = l.start(ctx, id, func() ast.Path { return append(graphql.GetPath(ctx), ast.PathIndex(i)) })
	}
	records := make([]*T, len(ids))
	for i, wait := range waiting {
		record, err := wait()
		if err != nil {
			paging.AddElementError(ctx, i, err)
			continue
		}
		records[i] = record
	}
	return records, nil
}

// follow begins to fetch the record that a member of another record refers to by its id, and returns what waits for it. That
// there is no such record is an answer, not an error.
func (l *loader[T]) follow(ctx context.Context, from upstream.Raw, by calls.Member, at func() ast.Path) dataloader.Thunk[*T] {
	text, err := from.Text(by.Name, by.Required)
	id := text.String()
	if err != nil || text == nil || !l.valid(id) {
		return func() (*T, error) { return nil, err }
	}
	wait := l.start(ctx, id, at)
	return func() (*T, error) {
		record, err := wait()
		if upstream.KindOf(err) == upstream.KindNotFound {
			return nil, nil // null without an error is what such a link is in GraphQL
		}
		return record, err
	}
}
