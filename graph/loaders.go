package graph

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/limits"
	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

// loaders fetch single records for one response, each once however many fields ask for it. Every request has loaders of its
// own: what a loader remembers was read with its caller's token. Its key is the kind and the id of a record; the cost of the
// operation bounds how many there are, and the account of the request their bytes; they end with the request.
type loaders struct {
	transactions  loader[upstream.Transaction]
	withdrawals   loader[upstream.Withdrawal]
	notifications loader[upstream.Notification]
}

// MaxIDs bounds the ids that one field may try: each is an upstream call.
const MaxIDs = 50

// open has the loaders fetch for a request.
func (l *loaders) open(r *Request, lookups *Lookups) {
	l.transactions.lookup, l.transactions.request = &lookups.transactions, r
	l.withdrawals.lookup, l.withdrawals.request = &lookups.withdrawals, r
	l.notifications.lookup, l.notifications.request = &lookups.notifications, r
}

// Fetched counts the records of each kind that an answer fetched by their ids, each once: how far it fanned out. Each is a
// call, since the APIs have no lookup of several.
type Fetched struct{ Transactions, Withdrawals, Notifications int }

func (l *loaders) fetched() Fetched {
	return Fetched{int(l.transactions.fetched.Load()), int(l.withdrawals.fetched.Load()), int(l.notifications.fetched.Load())}
}

// Lookups say how records of each kind are fetched by their id, and count that. All requests share them.
type Lookups struct {
	transactions  lookup[upstream.Transaction]
	withdrawals   lookup[upstream.Withdrawal]
	notifications lookup[upstream.Notification]
}

// NewLookups returns lookups that have counted nothing.
func NewLookups() *Lookups {
	return &Lookups{
		transactions:  lookup[upstream.Transaction]{noun: "transaction", canonical: strings.ToLower, fetch: (*upstream.Session).Transaction},
		withdrawals:   lookup[upstream.Withdrawal]{noun: "withdrawal", canonical: strings.ToLower, fetch: (*upstream.Session).Withdrawal},
		notifications: lookup[upstream.Notification]{noun: "notification", canonical: identity, fetch: (*upstream.Session).Notification},
	}
}

// lookup is how records of one kind are fetched by their id.
type lookup[T any] struct {
	noun      string
	canonical func(id string) string // the one spelling of an id: UUIDs are the same in either case
	fetch     func(*upstream.Session, context.Context, string) (*T, error)

	asked, called atomic.Uint64 // by fields; of the APIs
}

func identity(id string) string { return id }

// Loads counts what became of the fields that asked for a record of one kind.
type Loads struct {
	Fetched uint64 // led to a call
	Joined  uint64 // found the record asked for already, in the same response
}

// Loads returns the counts so far, by the kind of record.
func (l *Lookups) Loads() map[string]Loads {
	return map[string]Loads{
		l.transactions.noun: l.transactions.loads(), l.withdrawals.noun: l.withdrawals.loads(), l.notifications.noun: l.notifications.loads(),
	}
}

func (l *lookup[T]) loads() Loads {
	called := l.called.Load()
	return Loads{called, max(l.asked.Load(), called) - called}
}

// loader fetches records of one kind by id. The API has no lookup of several ids, so there is no batch to wait for: a
// batch is one id, and dataloader is here for its memory. How many calls run at a time is upstream's to bound.
type loader[T any] struct {
	*lookup[T]
	request *Request
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

func (l *loader[T]) call(ctx context.Context, session *upstream.Session, id string) (*T, error) {
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
