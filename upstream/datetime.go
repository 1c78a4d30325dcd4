package upstream

import (
	"strings"
	"time"

	"pixgraph/upstream/wire"
)

// dateTimeLayouts are the accepted forms of ISO 8601 dates with a time: with or without seconds, with any fraction
// (time.Parse accepts one after the seconds), with an offset, Z or neither.
var dateTimeLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
}

// DateTimeRule is the rule of ValidDateTime for clients, which completes "startDate …".
const DateTimeRule = "must be an ISO 8601 date and time, such as 2026-11-22T00:00:00-03:00; a date alone has no time zone"

// ValidDateTime reports whether s is an ISO 8601 date and time (spec 4).
func ValidDateTime(s string) bool {
	_, ok := ParseDateTime(s)
	return ok
}

// ParseDateTime parses an ISO 8601 date and time (spec 4).
func ParseDateTime(s string) (parsed time.Time, ok bool) {
	if len(s) > len("2006-01-02T15:04:05.999999999999999999-07:00") {
		return parsed, false
	}
	for _, layout := range dateTimeLayouts {
		if parsed, err := time.Parse(layout, s); err == nil {
			return parsed, strictDateTime(s)
		}
	}
	return parsed, false
}

// strictDateTime rejects what time.Parse accepts beyond its layout: an hour of one digit, a comma before the fraction,
// an offset of 24 hours or 60 minutes.
func strictDateTime(s string) bool {
	offset := s[len(s)-len("+23:59"):]
	if sign := offset[0]; (sign == '+' || sign == '-') && (offset[1:] > "23:59" || offset[4] > '5') {
		return false
	}
	return s[len("2006-01-02T15")] == ':' && !strings.Contains(s, ",")
}

// HasOffset reports whether an ISO 8601 date and time has an offset. Without one its instant is not known.
func HasOffset(dateTime string) bool {
	at := len(dateTime) - len("+23:59")
	return dateTime[len(dateTime)-1] == 'Z' || dateTime[at] == '+' || dateTime[at] == '-'
}

// moment is a date-time of a record.
type moment struct {
	text    Text // nil without a string
	time    time.Time
	valid   bool // whether time is known, at least to compare it with other moments of the record
	instant bool // whether text has an offset
}

// readMoment reads a moment; a value that does not exist has neither text nor time.
func readMoment(value wire.Value) (m moment) {
	if !value.Exists() {
		return m
	}
	text, err := ReadText(value)
	if err != nil {
		return m
	}
	m.text = text
	s := text.String()
	m.time, m.valid = ParseDateTime(s)
	m.instant = m.valid && HasOffset(s)
	return m
}

// compare returns the order of two moments. One that is not valid is before the others.
func (m *moment) compare(other *moment) int {
	switch {
	case m.valid && other.valid:
		return m.time.Compare(other.time)
	case m.valid:
		return 1
	case other.valid:
		return -1
	}
	return 0
}

// align invalidates the moments without an offset if others have one: they are in an unknown time zone. If none has an
// offset, they are taken to be in the same zone.
func align[T any](list []T, of func(*T) *moment) {
	instants := false
	for i := range list {
		instants = instants || of(&list[i]).instant
	}
	for i := range list {
		m := of(&list[i])
		m.valid = m.valid && m.instant == instants
	}
}
