// Package summary reads the pages of a list of the core API and adds up their amounts, in all and by group. It keeps
// sums and not records: the memory of a page is released when the page has been added. It makes no calls itself;
// package client does.
//
// Read Read in read.go first.
package summary

import (
	"slices"

	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/internal/decimal"
	"pixgraph/upstream"
)

// Summary has the sums of the records of a list, and its groups. The schema says which of its sums a list has.
type Summary struct {
	Sums
	Unreadable int32          // records that break the contract in what is needed of them; they are not summed
	PagesRead  int32          // from the first page on, without a gap
	Reason     *paging.Reason // why the sums are not those of the whole list; nil if they are
	groups     []*Group
}

// Complete reports whether the sums are those of the whole list.
func (s *Summary) Complete() bool { return s.Reason == nil }

// Sums are the number of records and the sums of their amounts.
type Sums struct {
	Count      int32
	of         *[upstream.NumSums]*upstream.Amount // the members that are summed
	totals     [upstream.NumSums]decimal.Total     // that of the fee only if it is selected
	net        decimal.Total                       // as that of the fee
	feeMissing bool                                // whether a record whose money moved has no fee, so that net is not known
	none       bool                                // whether it is known that there are no records
}

// Group is the sums of the records that agree in what they are grouped by. The texts are nil, and the day is "", if
// they are not grouped by it. The day is also "" if the records lack the date.
type Group struct {
	Sums
	status, origin upstream.Text
	day            string
}

// Field implements projection.Object.
func (s *Summary) Field(name string) (any, error) {
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
		if s.Reason != nil {
			return string(*s.Reason), nil
		}
		return upstream.Text(nil), nil
	}
	return s.sum(name), nil
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
		if g.day != "" {
			return g.day, nil
		}
		return upstream.Text(nil), nil
	}
	return g.sum(name), nil
}

// sum returns a field with a sum; nil for null.
func (s *Sums) sum(name string) any {
	total := &s.net
	switch i := slices.IndexFunc(s.of[:], func(of *upstream.Amount) bool { return of != nil && of.Name == name }); {
	case name == "count":
		return s.Count
	case i >= 0:
		total = &s.totals[i]
	case s.feeMissing: // netAmount
		return nil
	}
	if total.Empty() && !s.none {
		return nil // without an amount, the sum is not known to be 0
	}
	return total.String()
}
