package graph

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/projection"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Lookups define how records of each kind are fetched by id, and count the fetches. All requests share them. Loaders,
// links and statistics know a kind of record only by its entry here.
type Lookups struct {
	// Live is notified of the records that operations read; may be nil.
	Live    *live.Engine
	entries []entry
	learned *learnedLinks
}

// NewLookups returns lookups with all counters at zero.
func NewLookups() *Lookups {
	return &Lookups{learned: newLearnedLinks(time.Now), entries: []entry{
		newLookup[upstream.TransactionStatus]((*client.Session).Transaction),
		newLookup[upstream.WithdrawalStatus]((*client.Session).Withdrawal),
		newLookup[upstream.NotificationStatus]((*client.Session).Notification),
	}}
}

// lists are the watches of the lists.
var lists = map[string]watch{
	"deposits":    watchPage((*client.Session).Deposits),
	"withdrawals": watchPage((*client.Session).Withdrawals),
}

// lookup defines how records of one kind are fetched by id.
type lookup[T upstream.Resource] struct {
	noun  string
	id    *upstream.IDForm // that the API accepts; a link with any other id is null
	fetch func(*client.Session, context.Context, string) (*T, error)
	until func(arguments map[string]any) (live.Until, error)
	// scopes are what an entity needs, as the field of Query with the record does; nil for none.
	scopes [][]string

	requested, called atomic.Uint64 // by fields; from the API
}

// newLookup returns the lookup of a kind whose statuses are of type S.
func newLookup[S ~string, T upstream.Resource](fetch func(*client.Session, context.Context, string) (*T, error)) *lookup[T] {
	of := upstream.ContractOf[T]()
	l := &lookup[T]{noun: of.Noun, id: of.ID, fetch: fetch, until: func(arguments map[string]any) (live.Until, error) {
		return untilOf(arguments["until"].([]S), arguments["since"].(*string))
	}}
	if of.Scopes != nil {
		l.scopes = [][]string{of.Scopes}
	}
	return l
}

// lookupOf returns the lookup of one kind of record, and its index.
func lookupOf[T upstream.Resource](l *Lookups) (found *lookup[T], index int) {
	for i, entry := range l.entries {
		if found, ok := entry.(*lookup[T]); ok {
			return found, i
		}
	}
	panic(fmt.Sprintf("graph: no lookup of %T", *new(T))) // a resolver uses a kind that NewLookups lacks
}

// entry is a lookup of any kind.
type entry interface {
	name() string     // singular, in lower case
	typeName() string // equal in Go and in the schema
	loads() Loads
	link(calls.Member) projection.Follow
	entity(ctx context.Context, id string, at func() ast.Path) func() (upstream.AnyResource, error)
	watch(arguments map[string]any) (live.Subject, live.Until, error)
}

func (l *lookup[T]) name() string { return l.noun }

func (l *lookup[T]) typeName() string { return reflect.TypeFor[T]().Name() }

// link returns the function that follows a link to a record of this kind.
func (l *lookup[T]) link(by calls.Member) projection.Follow {
	return func(ctx context.Context, from upstream.Raw, at func() ast.Path) projection.Wait {
		wait := loaderOf[T](ctx).follow(ctx, from, by, at)
		return func() (projection.Found, error) { return projection.One(wait()) }
	}
}

// link returns the function that follows a declared field to one record by its id; nil if there is no lookup of its
// kind.
func (l *Lookups) link(field *calls.Field) projection.Follow {
	for _, entry := range l.entries {
		if entry.typeName() == field.Type {
			return entry.link(*field.ID)
		}
	}
	return nil
}

// Loads counts the fields that requested a record of one kind.
type Loads struct {
	Fetched uint64 // caused a call
	Joined  uint64 // the same response had requested the record already
}

// Loads returns the current counts by kind of record.
func (l *Lookups) Loads() map[string]Loads {
	all := make(map[string]Loads, len(l.entries))
	for _, entry := range l.entries {
		all[entry.name()] = entry.loads()
	}
	return all
}

func (l *lookup[T]) loads() Loads {
	called := l.called.Load()
	return Loads{called, max(l.requested.Load(), called) - called}
}
