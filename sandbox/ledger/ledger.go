// Package ledger has the sandbox's records: deposits, withdrawals, transactions
// and notifications, thousands of each, generated from a seed and rendered as
// JSON exactly as the two REST APIs of the spec send them.
//
// It is not a server (that is package sandbox), has no filters and no pages,
// and is not a model of the real service: where the spec shows no rule, such as
// the transitions between statuses, the rule here is our choice, documented
// where it is implemented. People, companies and addresses are invented; check
// digits, ISPBs, BR Codes and their QR images are valid.
//
// Every enum value, every optional field absent, present and null, and every
// shape that the spec allows occurs among the records; the tests list them.
//
// Read [New] first, then [Entry].
package ledger

import (
	"strings"
	"sync"
	"time"
)

// DefaultRecords is the number of records of each kind for the zero Config.
// With that many, every optional field of every object occurs in all its
// states, and a list has a hundred pages.
const DefaultRecords = 2000

// Config is the input of the generator. The zero value is that of the sandbox.
type Config struct {
	// Seed determines all records: the same Config gives the same bytes.
	Seed uint64
	// Records is the number of records of each kind. 0 is DefaultRecords.
	Records int
	// Deposits is the number of deposits, if it is larger. Those beyond Records are of the 30 days before Now, and not
	// held: each is made when it is read, so a million of them need no memory. They have no transactions, never change,
	// and are in Select only.
	Deposits int
	// Now is the reference time of the dates. New reads it once, and all
	// records are older, the newest by some ten minutes. Another time moves
	// all dates by the same duration, and changes no id. Step reads it again.
	// If Now is nil, the time is always 2026-06-30T12:00:00Z.
	Now func() time.Time
}

// defaultNow is the reference time if Config.Now is nil.
var defaultNow = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)

// Ledger has the records. All methods are safe for concurrent use.
type Ledger struct {
	now  func() time.Time
	many *many

	mu     sync.RWMutex
	tables [kinds]table
	open   []openPayment
	last   time.Time      // of the newest movement, so that times always increase
	notify func([]Change) // may be nil
}

// New creates the records. JSON and QR images are rendered on first use.
func New(cfg Config) *Ledger {
	if cfg.Records <= 0 {
		cfg.Records = DefaultRecords
	}
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return defaultNow }
	}
	l := &Ledger{now: cfg.Now, last: instant(cfg.Now())}
	g := &generator{cfg.Seed, cfg.Records, l.last, newMerchants(cfg.Seed)}
	l.many = newMany(g, cfg.Deposits-cfg.Records)
	var entries [kinds][]*Entry
	entries, l.open = g.records()
	for kind, list := range entries {
		l.tables[kind] = newTable(list)
	}
	return l
}

// Deposits returns the deposits (spec 2.1), newest first. The list is a
// snapshot that later changes do not affect. The caller must not change it.
func (l *Ledger) Deposits() []*Entry { return l.List(Deposit) }

// Withdrawals returns the withdrawals (spec 2.2), like Deposits.
func (l *Ledger) Withdrawals() []*Entry { return l.List(Withdrawal) }

// Transactions returns the transactions (spec 2.3), like Deposits. The
// first ones have several notifications each.
func (l *Ledger) Transactions() []*Entry { return l.List(Transaction) }

// Notifications returns the notifications (spec 2.4), like Deposits.
func (l *Ledger) Notifications() []*Entry { return l.List(Notification) }

// Put adds a record, or replaces the one with the same id, in either case. A
// replaced payment no longer moves. A zero CreatedAt is set to that of the
// replaced record, or to just after the newest one. So an invalid record,
// created with [NewEntry] from JSON without a date, comes first in its list.
func (l *Ledger) Put(kind Kind, e *Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tables[kind].put(e)
}

// List returns the records of a kind, like Deposits.
func (l *Ledger) List(kind Kind) []*Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.tables[kind].newestFirst
}

// Find finds a record of a kind by id, in either case.
func (l *Ledger) Find(kind Kind, id string) (*Entry, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	e, ok := l.tables[kind].byID[strings.ToLower(id)]
	return e, ok
}

// instant is a time with the precision of the records: UTC, whole milliseconds.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
