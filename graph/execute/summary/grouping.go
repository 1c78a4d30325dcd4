package summary

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"
	_ "time/tzdata" // time zones for machines without a database of them

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
	MaxPages int32
}

// check checks the arguments, and returns the time zone.
func (a Arguments) check() (*time.Location, error) {
	if a.MaxPages < 1 {
		return nil, apierror.Input("maxPages", "must be 1 or more")
	}
	for i, by := range a.GroupBy {
		if slices.Contains(a.GroupBy[:i], by) {
			return nil, apierror.Input("groupBy", "must not contain duplicates")
		}
	}
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil || !ianaName(a.TimeZone) {
		return nil, apierror.Input("timeZone", "must be a time zone of the IANA database, such as America/Sao_Paulo")
	}
	return zone, nil
}

// ianaName reports whether a name that Go knows can be one of the IANA database, which begin with a capital. The others
// are those of the machine, such as localtime, and of directories with other rules, such as right, which counts leap
// seconds.
func ianaName(zone string) bool {
	return zone != "" && zone[0] >= 'A' && zone[0] <= 'Z' && zone != "Local"
}

// key identifies a group. Its texts have no escapes, of which the API may send any.
type key struct{ status, day, origin string }

// keyOf returns the group of a record.
func (r *reading[T]) keyOf(record *T) (k key, err error) {
	for _, by := range r.groupBy {
		var text upstream.Text
		switch by {
		case ByStatus:
			text, err = r.status(record)
			k.status = text.String()
		case ByOrigin:
			text, err = r.origin(record)
			k.origin = text.String()
		case ByDay:
			if text, err = r.createdAt(record); err == nil {
				k.day, err = dayOf(text.String(), r.zone)
			}
		}
		if err != nil {
			return key{}, err
		}
	}
	return k, nil
}

var errNoDay = errors.New("is not a date and time with an offset")

// dayOf returns the date of a time in a time zone. It fails for a time without an offset, whose date is not known.
func dayOf(text string, zone *time.Location) (string, error) {
	at, ok := upstream.ParseDateTime(text)
	if !ok || !upstream.HasOffset(text) {
		return "", errNoDay
	}
	return at.In(zone).Format(time.DateOnly), nil
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
			order := cmp.Compare(a.day, b.day)
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
