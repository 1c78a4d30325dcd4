package summary

import (
	"context"
	"errors"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/execute/paging"
	"pixgraph/internal/decimal"
	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// MaxGroups bounds the groups of a summary: the days of a year with each status and origin are 8,052. A status is a
// text of the API, which could be another one in each record.
const MaxGroups = 10_000

// groupBytes is the memory of a group without its texts, with the closures that write its fields.
const groupBytes = 2 << 10

// recordBytes is the most memory that remains of a record: its hash in a map.
const recordBytes = 32

// add adds the records of a page. It fails if the account does not allow the memory that may remain of them.
func (r *reading[T]) add(ctx context.Context, page *upstream.Page[T]) error {
	most, held := recordBytes*len(page.Records), r.covered.Bytes()
	if err := r.account.Take(most); err != nil {
		return err
	}
	defer func() {
		r.account.Return(most - (r.covered.Bytes() - held))
		clear(r.values) // which are in the memory of the page
	}()
	r.covered.Page(page.Total, page.TotalPages, 0)
	for _, record := range page.Records {
		r.session.Turn.Step(ctx)
		r.addRecord(record)
	}
	r.PagesRead++
	r.seen += int64(len(page.Records))
	r.more = paging.Follows(page, r.seen, r.pages) && !r.covered.Repeats()
	return nil
}

// slots are the slots of the members that are read of each record, in names.
type slots struct {
	names                    wire.Names
	id, status, origin, date int
	amounts                  [upstream.NumSums]int
}

func slotsOf(of *[upstream.NumSums]*upstream.Amount, date string) (s slots) {
	s.id, s.status, s.origin, s.date = s.names.Add("id"), s.names.Add("status"), s.names.Add("depositOrigin"), s.names.Add(date)
	for i, of := range of {
		if of != nil {
			s.amounts[i] = s.names.Add(of.Name)
		}
	}
	return s
}

// members are the values of these members of a record.
type members struct {
	service upstream.Service
	values  []wire.Value
}

var errNoID = errors.New("`id` is empty")

// addRecord adds a record, unless it is unreadable, on another day or was added before.
func (r *reading[T]) addRecord(record upstream.Record[T]) {
	var id upstream.Text
	object, err := record.Raw()
	var m members
	if err == nil {
		r.values = r.slots.names.Append(r.values[:0], object.Value)
		m = members{object.Service, r.values}
		if id, err = upstream.Required(m.service, "id", m.values[r.slots.id], upstream.ReadText); err == nil && len(id) == len(`""`) {
			err = errNoID
		}
	}
	var k key
	selected := false
	if err == nil {
		k, selected, err = r.parts(m)
	}
	switch added := r.covered.Record(id, record.Bytes()); {
	case !added:
		return
	case err != nil:
		r.covered.Note(paging.RecordUnreadable)
		r.Unreadable++
		return
	case !selected:
		return
	}
	r.Sums.add(&r.amounts)
	if group := r.group(k); group != nil {
		group.add(&r.amounts)
	}
}

// amounts are the amounts of a record, by the indexes of upstream.Contract.
type amounts [upstream.NumSums]struct {
	decimal.Number
	exists bool
}

// parts reads what is needed of a record: the key of its group, and its amounts. selected says whether the record is on
// one of the days. Otherwise nothing but its day is read, so that nothing else of it can be unreadable.
func (r *reading[T]) parts(m members) (k key, selected bool, err error) {
	day, selected, err := r.dayOf(m)
	if err != nil || !selected {
		return k, false, err
	}
	for i, of := range r.of {
		if of == nil || i == upstream.SumFee && !r.fees {
			continue
		}
		text, err := of.Read(m.service, m.values[r.slots.amounts[i]])
		if r.amounts[i].exists = text != nil; text != nil && err == nil {
			err = r.amounts[i].Parse(text)
		}
		if err != nil {
			return k, false, err
		}
	}
	k, err = r.keyOf(m, day)
	return k, err == nil, err
}

// group returns the group with a key. It returns nil if records are not grouped, or if no further group may be held.
func (r *reading[T]) group(k key) *Group {
	if len(r.groupBy) == 0 {
		return nil
	}
	r.key = k.append(r.key[:0])
	if group := r.groups[string(r.key)]; group != nil {
		return group
	}
	group := &Group{Sums: Sums{of: r.of}, day: k.day, status: quoted(k.status), origin: quoted(k.origin)}
	texts := len(r.key) + len(group.status) + len(group.origin)
	if len(r.groups) == MaxGroups || r.account.Take(groupBytes+texts) != nil {
		r.covered.Note(paging.GroupLimit)
		return nil
	}
	r.groups[string(r.key)] = group
	return group
}

// add adds a record.
func (s *Sums) add(a *amounts) {
	s.Count++
	for i := range a {
		if a[i].exists {
			s.totals[i].Add(&a[i].Number)
		}
	}
	moved, refund, fee := &a[upstream.SumMoved], &a[upstream.SumRefund], &a[upstream.SumFee]
	if !moved.exists {
		return
	}
	s.net.Add(&moved.Number)
	if !fee.exists {
		s.feeMissing = true
		return
	}
	s.net.Subtract(&fee.Number)
	if refund.exists {
		s.net.Subtract(&refund.Number)
	}
}

// selectsFees reports whether the response has a sum that needs `feeAmount`, in all or by group. It is read only then:
// a client that does not select it gets the sums of records whose fee is invalid.
func selectsFees(ctx context.Context) bool {
	return needsFees(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field)
}

func needsFees(operation *graphql.OperationContext, in graphql.CollectedField) bool {
	fields := graphql.CollectFields(operation, in.Selections, []string{in.Definition.Type.Name()})
	return slices.ContainsFunc(fields, func(field graphql.CollectedField) bool {
		return field.Name == "feeAmount" || field.Name == "netAmount" || field.Name == "groups" && needsFees(operation, field)
	})
}
