package summary

import (
	"encoding/binary"
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

// key is what a record is grouped by: empty in what it is not.
type key struct {
	status, origin upstream.Text
	day            string
}

// keyOf returns the key of a record on a day.
func (r *reading[T]) keyOf(m members, day string) (k key, err error) {
	for _, by := range r.groupBy {
		switch by {
		case ByStatus:
			k.status, err = upstream.Required(m.service, "status", m.values[r.slots.status], upstream.ReadText)
		case ByOrigin:
			k.origin, err = upstream.Required(m.service, "depositOrigin", m.values[r.slots.origin], upstream.ReadText)
		case ByDay:
			k.day = day
		}
		if err != nil {
			return key{}, err
		}
	}
	return k, nil
}

// append appends the text that identifies the group of a key. It has no escapes, of which the API may send any.
func (k key) append(to []byte) []byte {
	for _, text := range [...]upstream.Text{k.status, k.origin} {
		decoded := text.Decoded()
		to = append(binary.AppendUvarint(to, uint64(len(decoded))), decoded...)
	}
	return append(to, k.day...)
}

// quoted returns a text of a key as JSON; nil if records are not grouped by it.
func quoted(text upstream.Text) upstream.Text {
	if text == nil {
		return nil
	}
	quoted, _ := json.Marshal(text.String()) // a string is always valid
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
