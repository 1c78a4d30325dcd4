package ledger_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pixgraph/sandbox/ledger"
)

const (
	form       = "2006-01-02T15:04:05.000Z"
	retrying   = "RETRYING"
	longMillis = 1 << 31
)

func date(t *testing.T, v any) time.Time {
	t.Helper()
	at, err := time.Parse(form, v.(string))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// checkHistory checks the history of a deposit, withdrawal or transaction, and returns its longest duration.
func checkHistory(t *testing.T, r map[string]any) (longest int64) {
	t.Helper()
	history := r["statusHistory"].([]any)
	var at time.Time
	for i, v := range history {
		h := v.(map[string]any)
		reached := date(t, h["date"])
		if i == 0 && !reached.Equal(date(t, r["createdAt"])) || i > 0 && !reached.After(at) {
			t.Errorf("%v: status %d was reached at %v", r["id"], i, reached)
		}
		at = reached
		want := int64(0)
		if i+1 < len(history) {
			want = date(t, history[i+1].(map[string]any)["date"]).Sub(at).Milliseconds()
		} else if h["status"] != r["status"] || date(t, r["updatedAt"]).Before(at) {
			t.Errorf("%v: the history ends with %v at %v, the record is %v at %v", r["id"], h["status"], at, r["status"], r["updatedAt"])
		}
		got, err := h["durationInMilliseconds"].(json.Number).Int64()
		if err != nil || got != want {
			t.Errorf("%v: status %d lasted %d, want %d", r["id"], i, got, want)
		}
		longest = max(longest, got)
	}
	return longest
}

func TestHistories(t *testing.T) {
	for _, kind := range []ledger.Kind{ledger.Deposit, ledger.Withdrawal, ledger.Transaction} {
		longest := int64(0)
		for _, r := range sharedRecords()[kind] {
			longest = max(longest, checkHistory(t, r))
		}
		if kind != ledger.Withdrawal && longest <= longMillis {
			t.Errorf("%s: the longest duration is %d, want more than 2^31", kind, longest)
		}
	}
}

func TestNotificationHistories(t *testing.T) {
	plain := 0 // statuses that occur only in a history
	for i, r := range sharedRecords()[ledger.Notification] {
		history := r["statusHistory"].([]any)
		var at time.Time
		for j, v := range history {
			h := v.(map[string]any)
			reached := date(t, h["date"])
			if j == 0 && !reached.Equal(date(t, r["createdAt"])) || j > 0 && !reached.After(at) {
				t.Errorf("%d: status %d was reached at %v", i, j, reached)
			}
			if n, ok := h["durationInMilliseconds"].(json.Number); ok {
				if got, _ := n.Int64(); got != reached.Sub(at).Milliseconds() {
					t.Errorf("%d: the status before %d lasted %d", i, j, got)
				}
			}
			if h["status"] == retrying {
				plain++
			}
			at = reached
		}
		last := history[len(history)-1].(map[string]any)
		if last["status"] != r["status"] || !at.Equal(date(t, r["updatedAt"])) {
			t.Errorf("%d: the history ends with %v at %v, the record is %v", i, last["status"], at, r["status"])
		}
		wantError := r["status"] == "FAILED" || r["status"] == "ERROR"
		if (r["error"] != nil) != wantError {
			t.Errorf("%d: status %v and error %v", i, r["status"], r["error"])
		}
		if n := len(r["executions"].([]any)); r["status"] == "RECEIVED" && n > 0 || r["status"] == "SENT" && n == 0 {
			t.Errorf("%d: status %v after %d executions", i, r["status"], n)
		}
	}
	if plain == 0 {
		t.Error("no history has a status that is not a status of notifications")
	}
}

// TestFieldsFollowTheStatus: the fields of a status are present if it was reached, and not otherwise.
func TestFieldsFollowTheStatus(t *testing.T) {
	tests := []struct {
		name   string
		kinds  []ledger.Kind
		status string
		fields []string
	}{
		{"paid", []ledger.Kind{ledger.Deposit, ledger.Transaction}, "PAID", []string{"amountPaid", "paymentDate", "payer", "endToEnd"}},
		{"processed", []ledger.Kind{ledger.Withdrawal}, "PROCESSED", []string{"amountWithdrawn", "processedDate", "endToEnd"}},
		{"refunded", []ledger.Kind{ledger.Deposit, ledger.Withdrawal, ledger.Transaction}, "REFUNDED", []string{"refundDate", "refundAmount", "endToEndRefund"}},
		{"infraction", []ledger.Kind{ledger.Transaction}, "INFRACTION", []string{"infractionDate", "infractionAmount"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, kind := range tt.kinds {
				with, without := 0, 0
				for _, r := range sharedRecords()[kind] {
					reached := slices.ContainsFunc(r["statusHistory"].([]any), func(h any) bool {
						return h.(map[string]any)["status"] == tt.status
					})
					for _, field := range tt.fields {
						if (r[field] != nil) != reached {
							t.Errorf("%s %v: reached is %v, %s is %v", kind, r["id"], reached, field, r[field])
						}
					}
					if reached {
						with++
					} else {
						without++
					}
				}
				if with == 0 || without == 0 {
					t.Errorf("%s: %d records with %s, %d without", kind, with, tt.status, without)
				}
			}
		})
	}
}
