package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/ledger"
)

// TestSamples looks each sample up and finds what its comment says.
func TestSamples(t *testing.T) {
	s := start(t, sandbox.Config{})
	l, samples := s.Ledger(), s.Samples()
	if again := s.Samples(); again != samples {
		t.Errorf("first %+v, then %+v", samples, again)
	}

	if _, ok := l.Transaction(samples.UnknownTransaction); ok {
		t.Errorf("%s is a transaction", samples.UnknownTransaction)
	}
	transaction, ok := l.Transaction(samples.Transaction)
	if !ok || !strings.Contains(string(transaction.JSON()), `"`+samples.Notification+`"`) {
		t.Errorf("transaction %q does not lead to notification %q", samples.Transaction, samples.Notification)
	}
	if sent, ok := l.Notification(samples.Notification); !ok || sent.Status != "SENT" || !strings.EqualFold(sent.ReferenceID, samples.Transaction) {
		t.Errorf("notification %q is %+v", samples.Notification, sent)
	}

	failed, ok := l.Notification(samples.FailedNotification)
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
	if _, ok := l.Transaction(failed.ReferenceID); !ok {
		t.Errorf("the failed notification is about %s, which is no transaction", failed.ReferenceID)
	}
}

// TestSampleMoves: the open transaction is paid within three steps, under the id that it was shown with.
func TestSampleMoves(t *testing.T) {
	s := start(t, sandbox.Config{})
	id := s.Samples().OpenTransaction
	seen := map[string]bool{}
	for range 3 {
		transaction, ok := s.Ledger().Transaction(id)
		if !ok {
			t.Fatalf("there is no transaction %q", id)
		}
		seen[transaction.Status] = true
		s.Ledger().Step()
	}
	if !seen["PENDING"] || !seen["PIX_QRCODE_GENERATED"] || !seen["PAID"] {
		t.Errorf("it was %v", seen)
	}
}

// TestNoSamples: a ledger too small to have every sort has empty samples, and a broken record is none.
func TestNoSamples(t *testing.T) {
	s := start(t, sandbox.Config{Records: 1})
	broken := ledger.NewEntry([]byte(`{"executions":`))
	broken.ID, broken.Status, broken.ReferenceID = "broken", "FAILED", s.Ledger().Transactions()[0].ID
	s.Ledger().Put(ledger.Notification, broken)
	if samples := s.Samples(); samples.FailedNotification != "" || samples.OpenTransaction != "" {
		t.Errorf("%+v", samples)
	}
}
