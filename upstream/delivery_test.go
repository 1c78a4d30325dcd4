package upstream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// executionsOf writes executions in short: each word is a status code, "null", "none" (a response without a code),
// "absent" (no response), or an execution in JSON. Their times are a minute apart. A word @ before a code gives it no
// time.
func executionsOf(words string) string {
	list := []string{}
	for i, word := range strings.Fields(words) {
		created := fmt.Sprintf(`"createdAt":"2026-06-01T10:%02d:00.000Z",`, i)
		if strings.HasPrefix(word, "@") {
			word, created = word[1:], ""
		}
		switch word {
		case "none":
			list = append(list, `{`+created+`"response":{"responseTime":7}}`)
		case "absent":
			list = append(list, `{`+created+`"url":"https://x.example"}`)
		default:
			if strings.HasPrefix(word, "{") || strings.HasPrefix(word, `"`) || word == "[]" {
				list = append(list, word)
				continue
			}
			list = append(list, `{`+created+`"response":{"statusCode":`+word+`,"responseTime":7}}`)
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// deliveries are labelled records: the status, the executions in short or in JSON, the verdict, and what decides. The
// table of docs/derived.md has the verdict of each status for each result (TestDocumentedVerdicts); these are its
// bounds and texts.
var deliveries = []struct{ status, executions, verdict, explanation string }{
	{"SENT", "200", "DELIVERED", "The destination accepted the only attempt with the status code 200."},
	{"SENT", "299", "DELIVERED", ""},
	{"SENT", "500 200", "DELIVERED", "The destination accepted one of 2 attempts with the status code 200."},
	{"SENT", "0 503 200", "DELIVERED", ""},
	{"SENT", "200 500", "DELIVERED", "The destination accepted one of 2 attempts with the status code 200."},
	{"SENT", "[] 200", "DELIVERED", ""},
	{"SENT", "200 []", "DELIVERED", ""},
	{"SENT", "200.0", "DELIVERED", ""},
	{"SENT", "2e2", "DELIVERED", ""},
	{"FAILED", "400", "REJECTED", "The destination rejected the only attempt with the status code 400."},
	{"FAILED", "404 404 404", "REJECTED", "The destination rejected the last of 3 attempts with the status code 404."},
	{"FAILED", "499", "REJECTED", ""},
	{"FAILED", "500", "DESTINATION_FAILED", "The destination failed at the only attempt with the status code 500."},
	{"FAILED", "599", "DESTINATION_FAILED", ""},
	{"FAILED", "0", "DESTINATION_FAILED", "For the only attempt, no status code of a response is recorded."},
	{"FAILED", "null", "DESTINATION_FAILED", ""},
	{"FAILED", "none", "DESTINATION_FAILED", ""},
	{"FAILED", "absent", "DESTINATION_FAILED", ""},
	{"ERROR", "0 0 0", "DESTINATION_FAILED", "For the last of 3 attempts, no status code of a response is recorded."},
	{"FAILED", "399", "REDIRECTED", ""},
	{"FAILED", "301", "REDIRECTED", "The destination responded to the only attempt with a redirect, status code 301."},
	{"RECEIVED", "", "NOT_ATTEMPTED", "No delivery attempt is recorded."},
	{"SENT", "", "CONTRADICTORY", "The status is SENT, but no delivery attempt is recorded."},
	{"SENT", "404", "CONTRADICTORY", "The status is SENT, but the destination rejected the only attempt with the status code 404."},
	{"SENT", "null", "CONTRADICTORY", ""},
	{"SENT", "absent", "CONTRADICTORY", ""},
	{"FAILED", "200", "CONTRADICTORY", "The status is FAILED, but the destination accepted the only attempt with the status code 200."},
	{"ERROR", "204 0", "CONTRADICTORY", ""},
	{"DELIVERING", "200", "UNKNOWN", "The status is not one that the API documents, and the destination accepted the only attempt with the status code 200."},
	{"DELIVERING", "", "UNKNOWN", "The status is not one that the API documents, and no delivery attempt is recorded."},
	{"DELIVERING", "500", "UNKNOWN", ""},
	{"sent", "200", "UNKNOWN", ""},
	{"UNKNOWN", "200", "UNKNOWN", ""},
	{"SENT", "100", "UNKNOWN", "The result of the only attempt cannot be read."},
	{"SENT", "600", "UNKNOWN", ""},
	{"FAILED", "-1", "UNKNOWN", ""},
	{"FAILED", "999", "UNKNOWN", ""},
	{"FAILED", "200.5", "UNKNOWN", ""},
	{"FAILED", `{"createdAt":"2026-06-01T10:00:00Z","response":"OK"}`, "UNKNOWN", ""},
	{"FAILED", `{"createdAt":"2026-06-01T10:00:00Z","response":{"statusCode":"200"}}`, "UNKNOWN", ""},
	{"FAILED", "[]", "UNKNOWN", ""},
	{"FAILED", "99999999999", "UNKNOWN", ""},
	// The order of the list does not count, but the times.
	{"FAILED", `{"createdAt":"2026-06-01T11:00:00Z","response":{"statusCode":503}} 404`, "DESTINATION_FAILED", ""},
	{"FAILED", `{"createdAt":"2026-06-01T08:30:00-03:00","response":{"statusCode":503}} 404`, "DESTINATION_FAILED", ""},
	{"FAILED", "@503 404", "REJECTED", ""},
	{"FAILED", "404 @503", "REJECTED", ""},
	{"FAILED", "@404 @503", "DESTINATION_FAILED", ""},
	{"FAILED", `{"createdAt":"yesterday","response":{"statusCode":503}} 404`, "REJECTED", ""},
	{"FAILED", `{"createdAt":"2026-06-01T10:01:00Z","response":{"statusCode":503}} 404`, "REJECTED", ""},
	{"FAILED", `{"createdAt":"0000-01-01T00:00:00Z","response":{"statusCode":503}}`, "DESTINATION_FAILED", ""},
	{"FAILED", `{"createdAt":"0000-01-01T00:00:00Z","response":{"statusCode":503}} 404`, "REJECTED", ""},
	{"FAILED", `404 {"createdAt":"0000-01-01T00:00:00Z","response":{"statusCode":503}}`, "REJECTED", ""},
	{"FAILED", `{"createdAt":"2026-06-01T07:30:00-0300","response":{"statusCode":503}} 404`, "DESTINATION_FAILED", ""},
	// A time without an offset is in an unknown zone: it compares with others of that kind only.
	{"FAILED", `{"createdAt":"2026-06-01T12:00:00","response":{"statusCode":503}} 404`, "REJECTED", ""},
	{"FAILED", `{"createdAt":"2026-06-01T12:00:00","response":{"statusCode":503}} {"createdAt":"2026-06-01T11:00:00","response":{"statusCode":404}}`,
		"DESTINATION_FAILED", ""},
}

// TestDeliveries compares the verdict of each labelled record, and checks that its explanation is one sentence.
func TestDeliveries(t *testing.T) {
	for _, tt := range deliveries {
		record := fmt.Sprintf(`{"status":%q,"executions":%s,"error":"secret","url":"https://secret.example"}`, tt.status, executionsOf(tt.executions))
		got := deliveryOf(t, record)
		if got.Verdict != tt.verdict {
			t.Errorf("%s %s: %s, want %s", tt.status, tt.executions, got.Verdict, tt.verdict)
		}
		text := got.Explanation
		if tt.explanation != "" && text != tt.explanation {
			t.Errorf("%s %s: %q", tt.status, tt.executions, text)
		}
		if !strings.HasSuffix(text, ".") || strings.Count(text, ". ") > 0 || strings.Contains(text, "secret") {
			t.Errorf("%s %s: %q is not one sentence about the record", tt.status, tt.executions, text)
		}
	}
}

// delivery is the derived field of a notification.
type delivery struct {
	Verdict, Explanation          string
	Attempts, LastStatusCode      *int32
	FirstAttemptAt, LastAttemptAt *string
	SlowestResponseTime           json.Number
}

func deliveryOf(t *testing.T, record string) (d delivery) {
	t.Helper()
	text, err := derivedJSON(t, "delivery", record)
	if err == nil {
		err = json.Unmarshal([]byte(text), &d)
	}
	must(t, err)
	return d
}

// TestDeliveryFacts: times, the last status code and the slowest response are those of the record, as the API sent
// them.
func TestDeliveryFacts(t *testing.T) {
	d := deliveryOf(t, `{"status":"FAILED","executions":[
		{"createdAt":"2026-06-01T10:05:00.000Z","response":{"statusCode":503,"responseTime":12.50}},
		{"createdAt":"2026-06-01T12:00:00.000+03:00","response":{"statusCode":404,"responseTime":3e4}},
		{"createdAt":"2026-06-01T10:00:00.000Z","response":{"statusCode":0,"responseTime":"slow"}},
		7]}`)
	if got := fmt.Sprintf("%d %s %s %d %s", *d.Attempts, *d.FirstAttemptAt, *d.LastAttemptAt, *d.LastStatusCode, d.SlowestResponseTime); got !=
		"4 2026-06-01T12:00:00.000+03:00 2026-06-01T10:05:00.000Z 503 3e4" {
		t.Error(got)
	}
	for _, record := range []string{
		`{}`, `{"status":"SENT"}`, `{"status":"SENT","executions":null}`, `{"status":"SENT","executions":{}}`,
		`{"status":7,"executions":"x"}`,
	} {
		if d := deliveryOf(t, record); d.Verdict != "UNKNOWN" || d.Attempts != nil || d.FirstAttemptAt != nil {
			t.Errorf("%s: %+v", record, d)
		}
	}
}
