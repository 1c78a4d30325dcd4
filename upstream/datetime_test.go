package upstream_test

import (
	"testing"
	"time"

	"pixgraph/upstream"
)

// TestParseTime: the forms of times of records, and which of them are instants.
func TestParseTime(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]struct {
		at          time.Time
		instant, ok bool
	}{
		"2026-01-31T12:00:00Z":          {noon, true, true},
		"2026-01-31T12:00:00.5Z":        {noon.Add(500 * time.Millisecond), true, true},
		"2026-01-31T12:00Z":             {noon, true, true},
		"2026-01-31T12:00:00+00:00":     {noon, true, true},
		"2026-01-31T12:00:00+0000":      {noon, true, true},
		"2026-01-31T09:00:00.000-0300":  {noon, true, true},
		"2026-01-31T09:00-03":           {noon, true, true},
		"2026-01-31 09:00:00-03:00":     {noon, true, true},
		"2026-01-31t12:00:00z":          {noon, true, true},
		"2026-01-31T12:00:00":           {noon, false, true},
		"2026-01-31T12:00":              {noon, false, true},
		"2026-01-31":                    {},
		"1769860800":                    {},
		"2026-02-30T12:00:00Z":          {},
		"2026-01-31T12:00:00 -03:00":    {},
		"2026-01-31T12:00:00+03:00:00Z": {},
		"ıııııı":                        {}, // shorter in upper case
		"":                              {},
	} {
		if at, instant, ok := upstream.ParseTime(text); !at.Equal(want.at) && ok || instant != want.instant || ok != want.ok {
			t.Errorf("%q: %v, %v, %v, want %v", text, at, instant, ok, want)
		}
	}
}

// FuzzParseTime: a date and time of clients is one of records too, at the same instant, and no text ends the process.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"2026-01-31T12:00:00.5Z", "2026-01-31 09:00:00-0300", "ıııııı", "2026-01-3ıT12:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, _, ok := upstream.ParseTime(text)
		if want, valid := upstream.ParseDateTime(text); valid && (!ok || !at.Equal(want)) {
			t.Errorf("%v, %v, want %v", at, ok, want)
		}
	})
}
