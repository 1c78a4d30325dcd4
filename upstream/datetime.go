package upstream

import (
	"strings"
	"time"
)

// dateTimeLayouts are the accepted forms of ISO 8601 dates with a time: with or without seconds, with any fraction (time.Parse
// accepts one after the seconds), with an offset, Z or neither.
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

// strictDateTime rejects what time.Parse accepts beyond its layout: an hour of one digit, a comma before the fraction, an
// offset of 24 hours or 60 minutes.
func strictDateTime(s string) bool {
	offset := s[len(s)-len("+23:59"):]
	if sign := offset[0]; (sign == '+' || sign == '-') && (offset[1:] > "23:59" || offset[4] > '5') {
		return false
	}
	return s[len("2006-01-02T15")] == ':' && !strings.Contains(s, ",")
}
