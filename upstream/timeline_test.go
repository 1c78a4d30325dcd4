package upstream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// timelineText writes the timeline of a transaction, an entry a line.
func timelineText(t *testing.T, record string) (string, error) {
	t.Helper()
	text, err := derivedJSON(t, "timeline", record)
	if err != nil {
		return "", err
	}
	var entries []struct {
		At, Source, Status                                  string
		Index                                               *int32
		DurationInMilliseconds, SincePreviousInMilliseconds json.Number
	}
	err = json.Unmarshal([]byte(text), &entries)
	var lines []string
	for _, e := range entries {
		line := fmt.Sprintf("%s %s %s %s +%s", e.At, e.Source, e.Status, e.DurationInMilliseconds, e.SincePreviousInMilliseconds)
		if e.Index != nil {
			line = fmt.Sprintf("%s #%d", line, *e.Index)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), err
}

// TestTimeline: entries are in the order of time. Ties, missing times and times out of order stay as the API sent them.
func TestTimeline(t *testing.T) {
	for name, tt := range map[string]struct{ record, want string }{
		"paid": {
			`{"createdAt":"2026-06-01T10:00:00.000Z","paymentDate":"2026-06-01T10:02:00.5Z","updatedAt":"2026-06-01T10:02:01Z","refundDate":null,
			"statusHistory":[{"status":"PENDING","date":"2026-06-01T10:00:00.000Z","durationInMilliseconds":120500.25},
			{"status":"PAID","date":"2026-06-01T10:02:00.500Z","durationInMilliseconds":0}],"pixResponse":{"expirationDate":"2026-06-01T11:00:00Z"}}`,
			`2026-06-01T10:00:00.000Z CREATED_AT   +
2026-06-01T10:00:00.000Z STATUS_HISTORY PENDING 120500.25 +0 #0
2026-06-01T10:02:00.500Z STATUS_HISTORY PAID 0 +120500 #1
2026-06-01T10:02:00.5Z PAYMENT_DATE   +0
2026-06-01T10:02:01Z UPDATED_AT   +500
2026-06-01T11:00:00Z PIX_EXPIRATION   +3479000`,
		},
		"offsets": {
			`{"createdAt":"2026-06-01T08:00:00.000000001-03:00","updatedAt":"2026-06-01T11:00:00Z","statusHistory":[]}`,
			`2026-06-01T11:00:00Z UPDATED_AT   +
2026-06-01T08:00:00.000000001-03:00 CREATED_AT   +0.000001`,
		},
		"forms of times of records": {
			`{"createdAt":"2026-06-01 08:00:00.000-0300","updatedAt":"2026-06-01t11:00:01z","paymentDate":"2026-06-01T10:59:59.000+0000",
			"refundDate":"2026-06-01T11:00:02+00","infractionDate":"0001-01-01 00:00:00","statusHistory":[]}`,
			`2026-06-01T10:59:59.000+0000 PAYMENT_DATE   +
2026-06-01 08:00:00.000-0300 CREATED_AT   +1000
2026-06-01t11:00:01z UPDATED_AT   +1000
2026-06-01T11:00:02+00 REFUND_DATE   +1000`,
		},
		"out of order": {
			`{"createdAt":"2026-06-01T10:00:00Z","statusHistory":[{"status":"PAID","date":"2026-06-01T12:00:00Z"},
			{"status":"PENDING","date":"2026-06-01T11:00:00Z"},{"status":"BLOCKED","date":"2026-06-01T09:00:00Z"}]}`,
			`2026-06-01T09:00:00Z STATUS_HISTORY BLOCKED  + #2
2026-06-01T10:00:00Z CREATED_AT   +3600000
2026-06-01T11:00:00Z STATUS_HISTORY PENDING  +3600000 #1
2026-06-01T12:00:00Z STATUS_HISTORY PAID  +3600000 #0`,
		},
		"without times": {
			`{"createdAt":7,"paymentDate":"soon","refundDate":"\ud800","statusHistory":[{"status":"NEW_STATUS"},null,{"status":8,"date":"2026-06-01T10:00:00Z",
			"durationInMilliseconds":"1"}],"updatedAt":"2026-02-30T10:00:00Z"}`,
			`2026-06-01T10:00:00Z STATUS_HISTORY   + #2
 CREATED_AT   +
 STATUS_HISTORY NEW_STATUS  + #0
 STATUS_HISTORY   + #1
soon PAYMENT_DATE   +
 REFUND_DATE   +
2026-02-30T10:00:00Z UPDATED_AT   +`,
		},
		"without offsets": {
			`{"createdAt":"2026-06-01T10:00:00","updatedAt":"2026-06-01T09:00:00","statusHistory":[]}`,
			`2026-06-01T09:00:00 UPDATED_AT   +
2026-06-01T10:00:00 CREATED_AT   +3600000`,
		},
		"some without offsets": { // whose instants are not known
			`{"createdAt":"2026-06-01T10:00:00","paymentDate":"2026-06-01T12:00:00Z","updatedAt":"2026-06-01T11:00:00Z","statusHistory":[]}`,
			`2026-06-01T11:00:00Z UPDATED_AT   +
2026-06-01T12:00:00Z PAYMENT_DATE   +3600000
2026-06-01T10:00:00 CREATED_AT   +`,
		},
		"centuries": {
			`{"createdAt":"0002-01-01T00:00:00Z","updatedAt":"9999-12-31T23:59:59.999999999Z","statusHistory":[]}`,
			`0002-01-01T00:00:00Z CREATED_AT   +
9999-12-31T23:59:59.999999999Z UPDATED_AT   +315506361599999.999999`,
		},
		"times that stand for none": {
			`{"createdAt":"2026-06-01T10:00:00Z","paymentDate":"0001-01-01T00:00:00Z","infractionDate":"0001-01-01T00:00:00",
			"refundDate":"0001-01-01T00:00:00-03:00","statusHistory":[{"status":"PENDING","date":"0001-01-01T00:00:00Z"}],
			"pixResponse":{"expirationDate":"0000-12-31T20:53:32Z"}}`,
			`2026-06-01T10:00:00Z CREATED_AT   +
 STATUS_HISTORY PENDING  + #0`,
		},
	} {
		if got, err := timelineText(t, tt.record); got != tt.want || err != nil {
			t.Errorf("%s:\n%s\n%v", name, got, err)
		}
	}
	for _, record := range []string{`{}`, `{"createdAt":"2026-06-01T10:00:00Z","statusHistory":{}}`} {
		if got, err := timelineText(t, record); got != "" || upstream.KindOf(err) != upstream.KindInvalidResponse {
			t.Errorf("%s: %q, %v", record, got, err)
		}
	}
}

// TestTimelineOfTheLongestHistory: its entries are more than a list of the API may have.
func TestTimelineOfTheLongestHistory(t *testing.T) {
	const longest = 1000
	entry := `{"status":"PENDING","date":"2026-06-01T10:00:00Z","durationInMilliseconds":1}`
	date := `"2026-06-01T09:00:00Z"`
	record := `{"statusHistory":[` + strings.Repeat(entry+",", longest-1) + entry + `],"createdAt":` + date + `,"paymentDate":` + date +
		`,"processedDate":` + date + `,"infractionDate":` + date + `,"refundDate":` + date + `,"updatedAt":` + date +
		`,"pixResponse":{"expirationDate":` + date + `}}`
	got, err := timelineText(t, record)
	if lines := strings.Count(got, "\n") + 1; lines != longest+7 || err != nil {
		t.Errorf("%d entries, %v", lines, err)
	}
}
