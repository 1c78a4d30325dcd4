package summary

import (
	"encoding/json"
	"maps"
	"slices"

	"pixgraph/graph/apierror"
	"pixgraph/upstream"
)

// Grouping is what records are grouped by. The schema has the same names.
type Grouping string

// The groupings.
const (
	ByStatus Grouping = "STATUS"
	ByDay    Grouping = "DAY"
	ByOrigin Grouping = "ORIGIN" // of deposits
)

// Arguments are the arguments of a field with a summary.
type Arguments struct {
	GroupBy  []Grouping
	TimeZone string // of days, by its name in the IANA database
	DayOf    Date
	FromDay  *string // the first day that is summed; nil for no bound
	ToDay    *string // the last day
	MaxPages int32
	Walk     *Walk // which the pages are read for; nil for an operation that reads all
}

// check checks the arguments, and returns the days.
func (a Arguments) check() (d days, err error) {
	if a.MaxPages < 1 {
		return d, apierror.Input("maxPages", "must be 1 or more")
	}
	for i, by := range a.GroupBy {
		if slices.Contains(a.GroupBy[:i], by) {
			return d, apierror.Input("groupBy", "must not contain duplicates")
		}
	}
	return newDays(a)
}

// key identifies a group. Its texts have no escapes, of which the API may send any.
type key struct{ status, day, origin string }

// keyOf returns the group of a record on a day.
func (r *reading[T]) keyOf(record upstream.Raw, day string) (k key, err error) {
	for _, by := range r.groupBy {
		var text upstream.Text
		switch by {
		case ByStatus:
			text, err = record.Text("status", true)
			k.status = text.String()
		case ByOrigin:
			text, err = record.Text("depositOrigin", true)
			k.origin = text.String()
		case ByDay:
			k.day = day
		}
		if err != nil {
			return key{}, err
		}
	}
	return k, nil
}

// quoted returns a text of a key as JSON; nil if records are not grouped by it.
func (r *reading[T]) quoted(text string, by Grouping) upstream.Text {
	if !slices.Contains(r.groupBy, by) {
		return nil
	}
	quoted, _ := json.Marshal(text) // a string is always valid
	return quoted
}

// sorted returns the groups in the order of what they are grouped by.
func (r *reading[T]) sorted() []*Group {
	return slices.SortedFunc(maps.Values(r.groups), func(a, b *Group) int {
		for _, by := range r.groupBy {
			order := compareDays(a.day, b.day)
			switch by {
			case ByStatus:
				order = slices.Compare(a.status, b.status)
			case ByOrigin:
				order = slices.Compare(a.origin, b.origin)
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
}
