package summary

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones for machines without a database of them

	"pixgraph/graph/apierror"
	"pixgraph/upstream"
)

// Date is a date of a record, by which it has a day. The schema has the same names.
type Date string

// createdAt is the only date of every record.
const createdAt Date = "CREATED_AT"

// member returns the member of a record that is the date: paymentDate for PAYMENT_DATE.
func (d Date) member() string {
	words := strings.Split(strings.ToLower(string(d)), "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// days are the days whose records are summed.
type days struct {
	of       string // the member with the date
	always   bool   // whether each record has it
	zone     *time.Location
	from, to string // the first and the last day; "" for no bound
}

// newDays returns the days of arguments.
func newDays(a Arguments) (d days, err error) {
	var zone *time.Location
	if ianaName(a.TimeZone) {
		zone, _ = time.LoadLocation(a.TimeZone)
	}
	if zone == nil {
		return d, apierror.Input("timeZone", "must be a time zone of the IANA database, such as America/Sao_Paulo")
	}
	d = days{of: a.DayOf.member(), always: a.DayOf == createdAt, zone: zone}
	for _, bound := range []struct {
		argument string
		given    *string
		into     *string
	}{{"fromDay", a.FromDay, &d.from}, {"toDay", a.ToDay, &d.to}} {
		if bound.given == nil {
			continue
		}
		day := *bound.given // of which Parse quotes what it gets
		if _, err := time.Parse(time.DateOnly, day[:min(len(day), len(time.DateOnly)+1)]); err != nil {
			return d, apierror.Input(bound.argument, "must be a date, such as 2026-11-23")
		}
		*bound.into = day
	}
	if d.to != "" && d.from > d.to {
		return d, apierror.Input("fromDay", "must not be after toDay")
	}
	return d, nil
}

// maxZone is the maximum length of the name of a time zone. America/Argentina/ComodRivadavia has 32.
const maxZone = 64

// ianaName reports whether a name that Go may know can be one of the IANA database, which begin with a capital. The
// others are those of the machine, such as localtime, and of directories with other rules, such as right, which counts
// leap seconds.
func ianaName(zone string) bool {
	return zone != "" && len(zone) <= maxZone && zone[0] >= 'A' && zone[0] <= 'Z' && zone != "Local"
}

// dayOf returns the day of a record, and whether it is one of those that are summed. The day is "" if the record lacks
// the date, or if no day is needed.
func (r *reading[T]) dayOf(m members) (day string, selected bool, err error) {
	bounded := r.days.from != "" || r.days.to != ""
	if !bounded && !slices.Contains(r.groupBy, ByDay) {
		return "", true, nil
	}
	read := upstream.Optional[upstream.Text]
	if r.days.always {
		read = upstream.Required
	}
	date, err := read(m.service, r.days.of, m.values[r.slots.date], upstream.ReadText)
	if date == nil || err != nil {
		return "", !bounded, err
	}
	if day, err = r.days.day(date.String()); day == "" {
		return "", !bounded && err == nil, err
	}
	after := r.days.to != "" && compareDays(day, r.days.to) > 0
	return day, !after && compareDays(day, r.days.from) >= 0, nil
}

var errNoDay = errors.New("is not a date and time with an offset")

// day returns the date of a time in the time zone, "" for a time that stands for none. It fails for a time without an
// offset, whose date is not known. It reads the same forms as files for Excel do, so that a sum and a file of the same
// list do not disagree.
func (d days) day(text string) (string, error) {
	at, instant, ok := upstream.ParseTime(text)
	switch {
	case ok && upstream.IsNoTime(at):
		return "", nil
	case !ok || !instant:
		return "", errNoDay
	}
	return at.In(d.zone).Format(time.DateOnly), nil
}

// compareDays returns the order of two days, of which "" is the first. The year of a day can have five digits, because
// 9999-12-31 in one time zone is a day later in another one.
func compareDays(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
