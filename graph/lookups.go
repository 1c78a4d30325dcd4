package graph

import (
	"context"
	"strings"
	"sync/atomic"

	"pixgraph/upstream"
)

// Lookups say how records of each kind are fetched by their id, and count that. All requests share them. One entry is all that
// loaders and statistics have to know of a kind of record.
type Lookups struct{ entries []entry }

// NewLookups returns lookups that have counted nothing.
func NewLookups() *Lookups {
	return &Lookups{[]entry{
		&lookup[upstream.Transaction]{
			noun: "transaction", canonical: strings.ToLower, fetch: (*upstream.Session).Transaction,
		},
		&lookup[upstream.Withdrawal]{
			noun: "withdrawal", canonical: strings.ToLower, fetch: (*upstream.Session).Withdrawal,
		},
		&lookup[upstream.Notification]{
			noun: "notification", canonical: identity, fetch: (*upstream.Session).Notification,
		},
	}}
}

func identity(id string) string { return id }

// lookup is how records of one kind are fetched by their id.
type lookup[T upstream.Resource] struct {
	noun      string
	canonical func(id string) string // the one spelling of an id: UUIDs are the same in either case
	fetch     func(*upstream.Session, context.Context, string) (*T, error)

	asked, called atomic.Uint64 // by fields; of the APIs
}

// entry is a lookup of any kind.
type entry interface {
	name() string // the noun
	loads() Loads
	newLoader(*Request) anyLoader
}

func (l *lookup[T]) name() string { return l.noun }

func (l *lookup[T]) newLoader(r *Request) anyLoader { return &loader[T]{lookup: l, request: r} }

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
