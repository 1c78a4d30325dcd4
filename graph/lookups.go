package graph

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/calls"
	"pixgraph/graph/projection"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/pix"
)

// Lookups say how records of each kind are fetched by their id, and count that. All requests share them. One entry is all that
// loaders, links and statistics have to know of a kind of record.
type Lookups struct{ entries []entry }

// NewLookups returns lookups that have counted nothing.
func NewLookups() *Lookups {
	return &Lookups{[]entry{
		&lookup[upstream.Transaction]{
			noun: "transaction", valid: pix.ValidUUID, canonical: strings.ToLower, fetch: (*client.Session).Transaction,
		},
		&lookup[upstream.Withdrawal]{
			noun: "withdrawal", valid: pix.ValidUUIDv4, canonical: strings.ToLower, fetch: (*client.Session).Withdrawal,
		},
		&lookup[upstream.Notification]{
			noun: "notification", valid: upstream.ValidNotificationID, canonical: identity, fetch: (*client.Session).Notification,
		},
	}}
}

func identity(id string) string { return id }

// lookup is how records of one kind are fetched by their id.
type lookup[T upstream.Resource] struct {
	noun      string
	valid     func(id string) bool   // whether the API takes the id: a link by another one leads nowhere
	canonical func(id string) string // the one spelling of an id: UUIDs are the same in either case
	fetch     func(*client.Session, context.Context, string) (*T, error)

	asked, called atomic.Uint64 // by fields; of the APIs
}

// entry is a lookup of any kind.
type entry interface {
	name() string     // the noun
	typeName() string // in Go, and in the schema
	loads() Loads
	link(calls.Member) projection.Follow
	newLoader(*Request) anyLoader
}

func (l *lookup[T]) name() string { return l.noun }

func (l *lookup[T]) typeName() string { return reflect.TypeFor[T]().Name() }

func (l *lookup[T]) newLoader(r *Request) anyLoader { return &loader[T]{lookup: l, request: r} }

// link is how the fast path follows a link to a record of this kind.
func (l *lookup[T]) link(by calls.Member) projection.Follow {
	return func(ctx context.Context, from upstream.Raw, at func() ast.Path) func() (*upstream.Raw, error) {
		wait := loaderOf[T](ctx).follow(ctx, from, by, at)
		return func() (*upstream.Raw, error) {
			record, err := wait()
			if record == nil || err != nil {
				return nil, err
			}
			raw := upstream.RawOf(record)
			return &raw, nil
		}
	}
}

// Link is how the fast path follows a declared field; nil where it is not a link to one record that can be fetched by its id.
func (l *Lookups) Link(field *calls.Field) projection.Follow {
	if field.ID == nil {
		return nil
	}
	for _, entry := range l.entries {
		if entry.typeName() == field.Type {
			return entry.link(*field.ID)
		}
	}
	return nil
}

// Nouns are the kinds of records that are fetched by their id.
func (l *Lookups) Nouns() []string {
	nouns := make([]string, len(l.entries))
	for i, entry := range l.entries {
		nouns[i] = entry.name()
	}
	return nouns
}

// Loads counts what became of the fields that asked for a record of one kind.
type Loads struct {
	Fetched uint64 // led to a call
	Joined  uint64 // found the record asked for already, in the same response
}

// Loads returns the counts so far, by the kind of record.
func (l *Lookups) Loads() map[string]Loads {
	all := make(map[string]Loads, len(l.entries))
	for _, entry := range l.entries {
		all[entry.name()] = entry.loads()
	}
	return all
}

func (l *lookup[T]) loads() Loads {
	called := l.called.Load()
	return Loads{called, max(l.asked.Load(), called) - called}
}
