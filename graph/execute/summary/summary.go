// Package summary reads the pages of a list of the core API and adds up their amounts, in all and by group. It keeps
// sums and not records: the memory of a page is released when the page has been added. It makes no calls itself;
// package client does.
//
// Read Deposits first, then reading.run in read.go.
package summary

import (
	"context"

	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/internal/decimal"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Summary has the sums of the records of a list. Its groups have the types of their list: see List.
type Summary struct {
	Sums
	Unreadable int32          // records that break the contract in what is needed of them; they are not summed
	PagesRead  int32          // from the first page on, without a gap
	Reason     *paging.Reason // why the sums are not those of the whole list; nil if they are
}

// Complete reports whether the sums are those of the whole list.
func (s *Summary) Complete() bool { return s.Reason == nil }

// Sums are the number of records and the sums of their amounts.
type Sums struct {
	Count                 int32
	amount, moved, refund decimal.Total
	fee, net              decimal.Total // only if they are selected
	feeMissing            bool          // whether a record whose money moved has no fee, so that net is not known
	none                  bool          // whether it is known that there are no records
}

// Amount returns the sum of `amount`.
func (s *Sums) Amount() *string { return s.text(&s.amount) }

// AmountPaid returns the sum of `amountPaid` of deposits.
func (s *Sums) AmountPaid() *string { return s.text(&s.moved) }

// AmountWithdrawn returns the sum of `amountWithdrawn` of withdrawals.
func (s *Sums) AmountWithdrawn() *string { return s.text(&s.moved) }

// RefundAmount returns the sum of `refundAmount`.
func (s *Sums) RefundAmount() *string { return s.text(&s.refund) }

// FeeAmount returns the sum of `feeAmount`.
func (s *Sums) FeeAmount() *string { return s.text(&s.fee) }

// NetAmount returns the sum of what remains of each payment of a deposit: `amountPaid` without `feeAmount` and
// `refundAmount`. It is nil if a paid deposit has no fee: without that deposit it would not be the rest of AmountPaid.
func (s *Sums) NetAmount() *string {
	if s.feeMissing {
		return nil
	}
	return s.text(&s.net)
}

// text returns a sum, or nil if no record has the amount: then it is not known to be 0.
func (s *Sums) text(t *decimal.Total) *string {
	if t.Empty() && !s.none {
		return nil
	}
	text := t.String()
	return &text
}

// Group is the sums of the records that agree in what they are grouped by. The texts are nil, and the day is "", if
// they are not grouped by it. The day is also "" if the records lack the date.
type Group struct {
	Sums
	status, origin upstream.Text
	day            string
}

// Day returns the day of the records in the time zone, such as 2026-01-31.
func (g *Group) Day() *string {
	if g.day == "" {
		return nil
	}
	return &g.day
}

// StatusRaw returns the status as the API sent it.
func (g *Group) StatusRaw() upstream.Text { return g.status }

// DepositOrigin returns the origin of deposits.
func (g *Group) DepositOrigin() *upstream.DepositOrigin {
	return known[upstream.DepositOrigin](g.origin)
}

// DepositOriginRaw returns the origin as the API sent it.
func (g *Group) DepositOriginRaw() upstream.Text { return g.origin }

// The names that the schema uses.
type (
	DepositSummary    = List[upstream.DepositStatus]
	DepositGroup      = GroupOf[upstream.DepositStatus]
	WithdrawalSummary = List[upstream.WithdrawalStatus]
	WithdrawalGroup   = GroupOf[upstream.WithdrawalStatus]
)

// Status is the type of the statuses of a list.
type Status interface {
	~string
	Known() bool
}

// List is the summary of a list, with its groups. The schema says which of its sums a list has.
type List[S Status] struct {
	Summary
	groups []*Group
}

// Deposits sums the deposits that match a filter.
func Deposits(ctx context.Context, session *client.Session, filter *upstream.DepositFilter, arguments Arguments) (*DepositSummary, error) {
	return read[upstream.DepositStatus](ctx, session, filter, arguments, deposits, (*client.Session).Deposits)
}

// Withdrawals sums the withdrawals that match a filter.
func Withdrawals(ctx context.Context, session *client.Session, filter *upstream.WithdrawalFilter, arguments Arguments) (*WithdrawalSummary, error) {
	return read[upstream.WithdrawalStatus](ctx, session, filter, arguments, withdrawals, (*client.Session).Withdrawals)
}

// Groups returns the groups in the order of what they are grouped by.
func (s *List[S]) Groups() []*GroupOf[S] {
	groups := make([]*GroupOf[S], len(s.groups))
	for i, group := range s.groups {
		groups[i] = &GroupOf[S]{group}
	}
	return groups
}

// GroupOf is a group with the types of its values.
type GroupOf[S Status] struct{ *Group }

// Status returns the status of the records.
func (g *GroupOf[S]) Status() *S { return known[S](g.status) }

// known returns the value of an enum, UNKNOWN for a text that the spec does not list, or nil without a text.
func known[E Status](raw upstream.Text) *E {
	if raw == nil {
		return nil
	}
	value := E(raw.String())
	if !value.Known() {
		value = upstream.Unknown
	}
	return &value
}

// Field implements projection.Object.
func (s *List[S]) Field(name string) (any, error) {
	switch name {
	case "groups":
		return groups(s.groups), nil
	case "unreadable":
		return s.Unreadable, nil
	case "pagesRead":
		return s.PagesRead, nil
	case "complete":
		return s.Complete(), nil
	case "reason":
		if s.Reason == nil {
			return nil, nil
		}
		return string(*s.Reason), nil
	}
	return s.Sums.field(name), nil
}

type groups []*Group

// Len implements projection.Objects.
func (g groups) Len() int { return len(g) }

// Object implements projection.Objects.
func (g groups) Object(i int) projection.Object { return g[i] }

// Field implements projection.Object.
func (g *Group) Field(name string) (any, error) {
	switch name {
	case "status", "statusRaw":
		return g.status, nil
	case "depositOrigin", "depositOriginRaw":
		return g.origin, nil
	case "day":
		if g.day == "" {
			return nil, nil
		}
		return g.day, nil
	}
	return g.Sums.field(name), nil
}

// field returns a field with a sum; nil for null.
func (s *Sums) field(name string) any {
	total := &s.amount
	switch name {
	case "count":
		return s.Count
	case "amountPaid", "amountWithdrawn":
		total = &s.moved
	case "refundAmount":
		total = &s.refund
	case "feeAmount":
		total = &s.fee
	case "netAmount":
		if total = &s.net; s.feeMissing {
			return nil
		}
	}
	if total.Empty() && !s.none {
		return nil // without an amount, the sum is not known to be 0
	}
	return total.String()
}
