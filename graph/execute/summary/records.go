package summary

import (
	"errors"

	"pixgraph/graph/execute/paging"
	"pixgraph/upstream"
)

// kind is how the members of a record are read. Only the members that are needed are read and checked.
type kind[T paging.Record] struct {
	id, status, createdAt func(*T) (upstream.Text, error)
	origin                func(*T) (upstream.Text, error) // nil for records without an origin
	amount, moved, refund amount[T]
}

// amount reads an amount into a number. It reports whether the record has the amount.
type amount[T any] func(*T, *number) (bool, error)

var deposits = kind[upstream.Deposit]{
	id: (*upstream.Deposit).ID, status: (*upstream.Deposit).StatusRaw, createdAt: (*upstream.Deposit).CreatedAt,
	origin: (*upstream.Deposit).DepositOriginRaw,
	amount: cents((*upstream.Deposit).Amount), moved: maybeCents((*upstream.Deposit).AmountPaid),
	refund: maybeCents((*upstream.Deposit).RefundAmount),
}

var withdrawals = kind[upstream.Withdrawal]{
	id: (*upstream.Withdrawal).ID, status: (*upstream.Withdrawal).StatusRaw, createdAt: (*upstream.Withdrawal).CreatedAt,
	amount: cents((*upstream.Withdrawal).Amount), moved: decimal((*upstream.Withdrawal).AmountWithdrawn),
	refund: maybeCents((*upstream.Withdrawal).RefundAmount),
}

func cents[T any](read func(*T) (upstream.Cents, error)) amount[T] {
	return func(record *T, into *number) (bool, error) {
		value, err := read(record)
		into.set(int64(value))
		return true, err
	}
}

func maybeCents[T any](read func(*T) (*upstream.Cents, error)) amount[T] {
	return func(record *T, into *number) (bool, error) {
		value, err := read(record)
		if value == nil || err != nil {
			return false, err
		}
		into.set(int64(*value))
		return true, nil
	}
}

func decimal[T any](read func(*T) (upstream.Decimal, error)) amount[T] {
	return func(record *T, into *number) (bool, error) {
		value, err := read(record)
		if value == nil || err != nil {
			return false, err
		}
		return true, into.parse(value)
	}
}

// MaxGroups bounds the groups of a summary: the days of a year with each status and origin are 8,052. A status is a
// text of the API, which could be another one in each record.
const MaxGroups = 10_000

// groupBytes is the memory of a group without its texts, with the closures that write its fields.
const groupBytes = 2 << 10

// recordBytes is the memory that remains of a record: the hash of its id in a map.
const recordBytes = 32

// add adds the records of a page. It fails if the account does not allow the memory that remains of them. A page
// without records is the end of the list, whatever its counts are.
func (r *reading[T]) add(page *upstream.Page[T]) error {
	if err := r.session.Account.Take(recordBytes * len(page.Records)); err != nil {
		return err
	}
	r.covered.Page(page.Total)
	for _, record := range page.Records {
		r.addRecord(record)
	}
	r.PagesRead++
	r.seen += int64(len(page.Records))
	r.more = page.CurrentPage < page.TotalPages || r.seen < page.Total
	if r.pages > 0 {
		r.more = page.CurrentPage < r.pages
	}
	r.more = r.more && len(page.Records) > 0
	return nil
}

var errNoID = errors.New("`id` is empty")

// addRecord adds a record, unless it is unreadable or was added before.
func (r *reading[T]) addRecord(record upstream.Record[T]) {
	var id upstream.Text
	value, err := record.Decode()
	if err == nil {
		if id, err = r.id(value); err == nil && len(id) == len(`""`) {
			err = errNoID
		}
	}
	var k key
	if err == nil {
		k, err = r.parts(value)
	}
	if added := r.covered.Record(id.String()); err != nil {
		r.covered.Note(paging.RecordUnreadable)
		r.Unreadable++
		return
	} else if !added {
		return
	}
	r.Sums.add(&r.amounts)
	if group := r.group(k); group != nil {
		group.add(&r.amounts)
	}
}

// amounts are the amounts of a record: amount, moved and refund.
type amounts [3]struct {
	number
	exists bool
}

// parts reads what is needed of a record: its amounts, and the key of its group.
func (r *reading[T]) parts(record *T) (k key, err error) {
	for i, read := range [...]amount[T]{r.amount, r.moved, r.refund} {
		part := &r.amounts[i]
		if part.exists, err = read(record, &part.number); err != nil {
			return k, err
		}
	}
	return r.keyOf(record)
}

// group returns the group with a key. It returns nil if records are not grouped, or if no further group may be held.
func (r *reading[T]) group(k key) *Group {
	if len(r.groupBy) == 0 {
		return nil
	}
	if group := r.groups[k]; group != nil {
		return group
	}
	group := &Group{day: k.day, status: r.quoted(k.status, ByStatus), origin: r.quoted(k.origin, ByOrigin)}
	texts := len(k.status) + len(k.origin) + len(group.status) + len(group.origin)
	if len(r.groups) == MaxGroups || r.session.Account.Take(groupBytes+texts) != nil {
		r.covered.Note(paging.GroupLimit)
		return nil
	}
	r.groups[k] = group
	return group
}

// add adds a record.
func (s *Sums) add(a *amounts) {
	s.Count++
	for i, sum := range [...]*total{&s.amount, &s.moved, &s.refund} {
		if a[i].exists {
			sum.add(&a[i].number)
		}
	}
}
