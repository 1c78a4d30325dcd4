package graph

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/limits"
	"pixgraph/graph/paging"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// loaders fetch single records for one response, each id once however many fields ask for it. Every response has loaders of
// its own: what a loader remembers was read with its caller's token. Its key is the kind and the id of a record; the cost of
// the operation bounds how many there are, and the account of the request their bytes; they end with the response.
type loaders struct {
	transactions  loader[upstream.Transaction]
	withdrawals   loader[upstream.Withdrawal]
	notifications loader[upstream.Notification]
}

// maxIDs bounds the ids that one field may try: each is an upstream call.
const maxIDs = 50

// loadersKey is the context key of the response's loaders.
type loadersKey struct{}

// withLoaders is the interceptor that gives each response its loaders, its bound on parallel calls, and its deadline.
func withLoaders(client *upstream.Client, timeout time.Duration, counts *counters) graphql.ResponseMiddleware {
	transactions := &lookup[upstream.Transaction]{"transaction", strings.ToLower, client.Transaction, &counts.transactions}
	withdrawals := &lookup[upstream.Withdrawal]{"withdrawal", strings.ToLower, client.Withdrawal, &counts.withdrawals}
	notifications := &lookup[upstream.Notification]{"notification", asItIs, client.Notification, &counts.notifications}
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		t := tracerOf(ctx)
		joined, end := client.WithOperation(ctx, deadlineOf(ctx, timeout))
		l := &loaders{
			transactions:  loader[upstream.Transaction]{lookup: transactions, tracer: t},
			withdrawals:   loader[upstream.Withdrawal]{lookup: withdrawals, tracer: t},
			notifications: loader[upstream.Notification]{lookup: notifications, tracer: t},
		}
		response := next(context.WithValue(joined, loadersKey{}, l))
		end() // the response holds copies of what was read
		noteFetched(ctx, l.fetched())
		return response
	}
}

// fetched is how many records of each kind were fetched until now.
func (l *loaders) fetched() Fetched {
	return Fetched{int(l.transactions.fetched.Load()), int(l.withdrawals.fetched.Load()), int(l.notifications.fetched.Load())}
}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

// lookup is how records of one kind are had by their id. It is the same for all responses.
type lookup[T any] struct {
	noun      string
	canonical func(id string) string // the one spelling of an id: UUIDs are the same in either case
	fetch     func(context.Context, string) (*T, error)
	count     *loadCount
}

func asItIs(id string) string { return id }

// loader fetches records of one kind by id. The API has no lookup of several ids, so there is no batch to wait for: a
// batch is one id, and dataloader is here for its memory. How many calls run at a time is upstream's to bound.
type loader[T any] struct {
	*lookup[T]
	tracer  *tracer
	fetched atomic.Int64
	opening sync.Once
	batch   *dataloader.Loader[string, *T] // nil until it is used: most operations use one of three
}

func (l *loader[T]) open() {
	l.batch = dataloader.NewBatchedLoader(l.fetchAll,
		dataloader.WithBatchCapacity[string, *T](1), dataloader.WithInputCapacity[string, *T](1))
}

// fetchAll is the batch function of a batch of one.
func (l *loader[T]) fetchAll(ctx context.Context, ids []string) []*dataloader.Result[*T] {
	results := make([]*dataloader.Result[*T], len(ids))
	l.count.fetched.Add(uint64(len(ids)))
	l.fetched.Add(int64(len(ids)))
	for i, id := range ids {
		record, err := l.fetch(ctx, id)
		quota.FromContext(ctx).Return(loadBytes)
		results[i] = &dataloader.Result[*T]{Data: record, Error: err}
	}
	return results
}

// load fetches one record. Where that is all the operation can ask for, nobody else waits for it, and there is nothing to
// remember.
func (l *loader[T]) load(ctx context.Context, id string) (*T, error) {
	if limits.CostOf(ctx) == 1 {
		l.count.asked.Add(1)
		l.count.fetched.Add(1)
		l.fetched.Add(1)
		return l.fetch(ctx, l.canonical(id))
	}
	return l.start(ctx, id, here(ctx))()
}

// loadBytes is what fetching a record takes while it waits for its turn: a goroutine, its stack, contexts. It is charged to
// the request meanwhile: an operation may ask for a thousand.
const loadBytes = 6 << 10

// start begins to fetch a record for the field at a path, and returns what waits for it.
func (l *loader[T]) start(ctx context.Context, id string, at func() ast.Path) dataloader.Thunk[*T] {
	l.count.asked.Add(1)
	if err := quota.FromContext(ctx).Take(loadBytes); err != nil {
		return func() (*T, error) { return nil, err }
	}
	l.opening.Do(l.open)
	key := l.canonical(id)
	return l.batch.Load(l.tracer.asked(ctx, askKey{l.noun, key}, at), key)
}

// here is the path of the field that is being resolved.
func here(ctx context.Context) func() ast.Path {
	return func() ast.Path { return graphql.GetPath(ctx) }
}

// loadAll fetches records in the order of their ids. One that cannot be had leaves a nil at its place, and an error
// under the place's path.
func (l *loader[T]) loadAll(ctx context.Context, ids []string) ([]*T, error) {
	if len(ids) < 1 || len(ids) > maxIDs {
		return nil, &paging.ArgumentError{Argument: "ids", Rule: fmt.Sprintf("must hold 1 to %d ids", maxIDs)}
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

// follow begins to fetch the record that a link leads to, and returns what waits for it. That there is none is an answer,
// not an error.
func (l *loader[T]) follow(ctx context.Context, id string, at func() ast.Path) dataloader.Thunk[*T] {
	wait := l.start(ctx, id, at)
	return func() (*T, error) {
		record, err := wait()
		if upstream.KindOf(err) == upstream.KindNotFound {
			return nil, nil // null without an error is what such a link is in GraphQL
		}
		return record, err
	}
}
