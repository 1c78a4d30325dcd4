package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
)

// TestSamples: each sample is as its comment describes. The open transaction is paid within three steps, with the same
// id.
func TestSamples(t *testing.T) {
	run(t, sandbox.Config{}, func(t *testing.T, s *sandbox.Sandbox) {
		l, samples := s.Ledger(), s.Samples()
		var served sandbox.Samples
		if err := json.Unmarshal(control(t, s, http.MethodGet, "/samples", "", nil).body, &served); err != nil || served != samples {
			t.Errorf("first %+v, then %+v, %v", samples, served, err)
		}

		if _, ok := l.Find(ledger.Transaction, samples.UnknownTransaction); ok {
			t.Errorf("%s is a transaction", samples.UnknownTransaction)
		}
		transaction, ok := l.Find(ledger.Transaction, samples.Transaction)
		if !ok || !strings.Contains(string(transaction.JSON()), `"`+samples.Notification+`"`) {
			t.Errorf("transaction %q does not lead to notification %q", samples.Transaction, samples.Notification)
		}
		sent, ok := l.Find(ledger.Notification, samples.Notification)
		if !ok || sent.Status != "SENT" || !strings.EqualFold(sent.Text("referenceId"), samples.Transaction) {
			t.Errorf("notification %q is %+v", samples.Notification, sent)
		}

		failed, ok := l.Find(ledger.Notification, samples.FailedNotification)
		if !ok || failed.Status != "FAILED" {
			t.Fatalf("failed notification %q is %+v", samples.FailedNotification, failed)
		}
		var record struct {
			Error      *string
			Executions []json.RawMessage
		}
		if err := json.Unmarshal(failed.JSON(), &record); err != nil || record.Error == nil || len(record.Executions) < 2 {
			t.Errorf("failed notification: %v, %+v", err, record)
		}
		if _, ok := l.Find(ledger.Transaction, failed.Text("referenceId")); !ok {
			t.Errorf("the failed notification is about %s, which is not a transaction", failed.Text("referenceId"))
		}

		id := samples.OpenTransaction
		seen := map[string]bool{}
		for range 3 {
			transaction, ok := l.Find(ledger.Transaction, id)
			if !ok {
				t.Fatalf("transaction %q does not exist", id)
			}
			seen[transaction.Status] = true
			l.Step()
		}
		if !seen["PENDING"] || !seen["PIX_QRCODE_GENERATED"] || !seen["PAID"] {
			t.Errorf("it had the statuses %v", seen)
		}
	})
}

// TestNoSamples: a sample is empty if the ledger has no such record, or only an invalid one.
func TestNoSamples(t *testing.T) {
	run(t, sandbox.Config{Records: 1}, func(t *testing.T, s *sandbox.Sandbox) {
		broken := ledger.NewEntry([]byte(`{"id":"broken","status":"FAILED","referenceId":"` + s.Ledger().Transactions()[0].ID + `","executions":7}`))
		s.Ledger().Put(ledger.Notification, broken)
		if samples := s.Samples(); samples.FailedNotification != "" || samples.OpenTransaction != "" {
			t.Errorf("%+v", samples)
		}
	})
}
