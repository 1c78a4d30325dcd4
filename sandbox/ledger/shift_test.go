package ledger_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox/ledger"
)

var (
	// shownTime matches the times in a record, in each of their forms, and the years in texts such as an order number.
	shownTime = regexp.MustCompile(`20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3})?(Z|-03:00)?|\b20\d\d\b`)
	// endToEnd matches the time in an EndToEndId.
	endToEnd = regexp.MustCompile(`"([ED]\d{8})\d{12}`)
)

// timeless is a record without what depends on the reference time.
func timeless(e *ledger.Entry) string {
	return endToEnd.ReplaceAllString(shownTime.ReplaceAllString(withoutImage(e), "TIME"), `"$1`)
}

// withoutImage is a record without its image, which is most of it.
func withoutImage(e *ledger.Entry) string {
	text, rest, _ := strings.Cut(string(e.JSON()), `"qrCodeBase64":"`)
	_, rest, _ = strings.Cut(rest, `"`)
	return text + rest
}

// TestShift: another reference time moves every date by the same duration and changes nothing else, whatever the time
// of day, the year and the fractions of a second.
func TestShift(t *testing.T) {
	const records = 120
	fixed := lists(ledger.New(ledger.Config{Records: records}))
	first := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	for _, now := range []time.Time{
		time.Date(2027, 1, 1, 0, 0, 0, 1, time.UTC),
		time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.FixedZone("", 3600)),
	} {
		t.Run(now.Format(time.RFC3339), func(t *testing.T) {
			shift := now.Truncate(time.Millisecond).Sub(first)
			for kind, entries := range lists(ledger.New(ledger.Config{Records: records, Now: func() time.Time { return now }})) {
				for i, e := range entries {
					want := fixed[kind][i]
					if e.ID != want.ID || e.Status != want.Status || e.CreatedAt != want.CreatedAt.Add(shift) { // also in UTC
						t.Fatalf("%s %d is %s %s of %v, want %s %s of %v", kind, i, e.ID, e.Status, e.CreatedAt,
							want.ID, want.Status, want.CreatedAt.Add(shift))
					}
					if got, want := timeless(e), timeless(want); got != want {
						t.Fatalf("%s %d is\n%.2000s\nwant\n%.2000s", kind, i, got, want)
					}
				}
			}
		})
	}
}

// TestRecent: each of the last seven days has payments of both directions and notifications, the newest payment was
// created within the last hours, and the newest open payments have valid QR codes, also after a day.
func TestRecent(t *testing.T) {
	now := time.Date(2031, 7, 9, 4, 5, 6, 0, time.UTC)
	l := ledger.New(ledger.Config{Now: func() time.Time { return now }})
	for kind, entries := range lists(l) {
		for day := range 7 {
			from, to := now.Add(-time.Duration(day+1)*24*time.Hour), now.Add(-time.Duration(day)*24*time.Hour)
			if !slices.ContainsFunc(entries, func(e *ledger.Entry) bool { return e.CreatedAt.After(from) && !e.CreatedAt.After(to) }) {
				t.Errorf("no %s %d days ago", kind, day)
			}
		}
		if age := now.Sub(entries[0].CreatedAt); age < 0 || age > 6*time.Hour {
			t.Errorf("the newest %s is %v old", kind, age)
		}
	}
	wantValidCodes(t, l, now)
	for range 24 * 6 {
		now = now.Add(10 * time.Minute)
		l.Step()
		wantValidCodes(t, l, now)
	}
}

// wantValidCodes checks the expiry of the open payments among the newest transactions.
func wantValidCodes(t *testing.T, l *ledger.Ledger, now time.Time) {
	t.Helper()
	open := 0
	for _, e := range l.Transactions()[:16] {
		if e.Status != "PENDING" && e.Status != "PIX_QRCODE_GENERATED" {
			continue
		}
		open++
		var record struct {
			PixResponse struct{ ExpirationDate string }
		}
		if err := json.Unmarshal(e.JSON(), &record); err != nil {
			t.Fatal(err)
		}
		text := record.PixResponse.ExpirationDate
		expires, err := time.Parse(time.DateTime, text)
		if err != nil {
			if expires, err = time.Parse(time.RFC3339, text); err != nil {
				t.Fatal(err)
			}
		}
		if left := expires.Sub(now); left < 30*time.Minute {
			t.Errorf("the QR code of %s expires in %v", e.ID, left)
		}
	}
	if open < 4 {
		t.Errorf("%d of the newest transactions are open", open)
	}
}
