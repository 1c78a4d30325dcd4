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

const maxDateTime = len("2006-01-02T15:04:05.999999999999999999-07:00")

// DateTimeRule is the rule of ParseDateTime for clients, which completes "startDate …".
const DateTimeRule = "must be an ISO 8601 date and time, such as 2026-11-22T00:00:00-03:00; a date alone has no time zone"

// ParseDateTime parses an ISO 8601 date and time (spec 4).
func ParseDateTime(s string) (parsed time.Time, ok bool) {
	if len(s) > maxDateTime {
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

// ParseTime parses a date and time of a record (spec 2), in each form that an API is likely to write: those of
// ParseDateTime, and an offset without a colon or without minutes, lower case, and a space before the time. Without an
// offset, the time is taken to be UTC, so that times of one API have an order; instant is false. The spec names no time
// zone: this is our choice.
func ParseTime(s string) (parsed time.Time, instant, ok bool) {
	const date = len("2006-01-02")
	if len(s) > maxDateTime {
		return parsed, false, false
	}
	if s = strings.ToUpper(s); len(s) > date && s[date] == ' ' { // letters beyond ASCII may become shorter
		s = s[:date] + "T" + s[date+1:]
	}
	for _, offset := range [...]string{"Z07:00", "Z0700", "Z07", ""} {
		for _, layout := range [...]string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
			if parsed, err := time.Parse(layout+offset, s); err == nil {
				return parsed, offset != "", true
			}
		}
	}
	return parsed, false, false
}

// IsNoTime reports whether a time stands for none: 0001-01-01, which Go and .NET have for it, in any time zone. The
// contract says that the field is absent (spec 2), and it has no time before Pix.
func IsNoTime(at time.Time) bool { return at.Year() <= 1 }

// moment is a date-time of a record.
type moment struct {
	text    Text // nil without a string
	time    time.Time
	valid   bool // whether time is known, at least to compare it with other moments of the record
	instant bool // whether text has an offset
	none    bool // whether the value stands for no time
}

// readMoment reads a moment; a value that does not exist has neither text nor time, nor has one that stands for none.
func readMoment(value wire.Value) (m moment) {
	if !value.Exists() {
		return m
	}
	text, err := ReadText(value)
	if err != nil {
		return m
	}
	if m.time, m.instant, m.valid = ParseTime(text.String()); m.valid && IsNoTime(m.time) {
		return moment{none: true}
	}
	m.text = text
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
