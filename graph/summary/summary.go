// Package summary reads the pages of a list of the core API and adds up their amounts, in all and by group. It keeps sums and
// not records: the memory of a page is released when the page has been added. It makes no calls itself; package client does.
//
// Read Deposits first, then reading.run in read.go.
package summary

import (
	"context"

	"pixgraph/graph/paging"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Summary has the sums of the records of a list. Its groups have types of their own: see DepositSummary.
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
	amount, moved, refund total
	none                  bool // whether it is known that there are no records
}

// Amount returns the sum of `amount`.
func (s *Sums) Amount() *string { return s.text(&s.amount) }

// RefundAmount returns the sum of `refundAmount`.
func (s *Sums) RefundAmount() *string { return s.text(&s.refund) }

// text returns a sum, or nil if no record has the amount: then it is not known to be 0.
func (s *Sums) text(t *total) *string {
	if t.terms == 0 && !s.none {
		return nil
	}
	text := t.String()
	return &text
}

// Group is the sums of the records that agree in what they are grouped by. The texts are nil, and the day is "", if they are
// not grouped by it.
type Group struct {
	Sums
	status, origin upstream.Text
	day            string
}

// Day returns the date of `createdAt` in the time zone, such as 2026-01-31.
func (g *Group) Day() *string {
	if g.day == "" {
		return nil
	}
	return &g.day
}

// StatusRaw returns the status as the API sent it.
func (g *Group) StatusRaw() upstream.Text { return g.status }

// DepositSummary is the summary of deposits.
type DepositSummary struct {
	Summary
	groups []*Group
}

// Deposits sums the deposits that match a filter.
func Deposits(ctx context.Context, session *client.Session, filter *upstream.DepositFilter, arguments Arguments) (*DepositSummary, error) {
	made, groups, err := read(ctx, session, filter, arguments, deposits, (*client.Session).Deposits)
	if err != nil {
		return nil, err
	}
	return &DepositSummary{made, groups}, nil
}

// AmountPaid returns the sum of `amountPaid`.
func (s *DepositSummary) AmountPaid() *string { return s.text(&s.moved) }

// Groups returns the groups in the order of what they are grouped by.
func (s *DepositSummary) Groups() []*DepositGroup {
	groups := make([]*DepositGroup, len(s.groups))
	for i, group := range s.groups {
		groups[i] = &DepositGroup{group}
	}
	return groups
}

// DepositGroup is a group of deposits.
type DepositGroup struct{ *Group }

// AmountPaid returns the sum of `amountPaid`.
func (g *DepositGroup) AmountPaid() *string { return g.text(&g.moved) }

// Status returns the status of the deposits.
func (g *DepositGroup) Status() *upstream.DepositStatus {
	return known[upstream.DepositStatus](g.status)
}

// DepositOrigin returns the origin of the deposits.
func (g *DepositGroup) DepositOrigin() *upstream.DepositOrigin {
	return known[upstream.DepositOrigin](g.origin)
}

// DepositOriginRaw returns the origin as the API sent it.
func (g *DepositGroup) DepositOriginRaw() upstream.Text { return g.origin }

// WithdrawalSummary is the summary of withdrawals.
type WithdrawalSummary struct {
	Summary
	groups []*Group
}

// Withdrawals sums the withdrawals that match a filter.
func Withdrawals(ctx context.Context, session *client.Session, filter *upstream.WithdrawalFilter, arguments Arguments) (*WithdrawalSummary, error) {
	made, groups, err := read(ctx, session, filter, arguments, withdrawals, (*client.Session).Withdrawals)
	if err != nil {
		return nil, err
	}
	return &WithdrawalSummary{made, groups}, nil
}

// AmountWithdrawn returns the sum of `amountWithdrawn`.
func (s *WithdrawalSummary) AmountWithdrawn() *string { return s.text(&s.moved) }

// Groups returns the groups in the order of what they are grouped by.
func (s *WithdrawalSummary) Groups() []*WithdrawalGroup {
	groups := make([]*WithdrawalGroup, len(s.groups))
	for i, group := range s.groups {
		groups[i] = &WithdrawalGroup{group}
	}
	return groups
}

// WithdrawalGroup is a group of withdrawals.
type WithdrawalGroup struct{ *Group }

// AmountWithdrawn returns the sum of `amountWithdrawn`.
func (g *WithdrawalGroup) AmountWithdrawn() *string { return g.text(&g.moved) }

// Status returns the status of the withdrawals.
func (g *WithdrawalGroup) Status() *upstream.WithdrawalStatus {
	return known[upstream.WithdrawalStatus](g.status)
}

// known returns the value of an enum, UNKNOWN for a text that the spec does not list, or nil without a text.
func known[E interface {
	~string
	Known() bool
}](raw upstream.Text,
) *E {
	if raw == nil {
		return nil
	}
	value := E(raw.String())
	if !value.Known() {
		value = upstream.Unknown
	}
	return &value
}
