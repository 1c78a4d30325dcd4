package sandbox

import (
	"encoding/json"
	"strings"

	"pixgraph/upstream/sandbox/ledger"
)

// Samples are the ids of records that show something, for people who look at
// the sandbox for the first time. One that there is no record for is empty.
type Samples struct {
	OpenTransaction    string // moves on to PAID while one looks
	Transaction        string // has notifications, and its metadata their ids
	UnknownTransaction string // a UUID that is no transaction's
	Notification       string // SENT, about Transaction
	FailedNotification string // tried and refused, about a transaction
}

// unknownTransaction is no id that the ledger makes: its ids are random.
const unknownTransaction = "00000000-0000-4000-8000-000000000000"

// Samples finds the newest record of each sort. Without writes the ids stay
// good as long as the sandbox runs: open payments keep theirs.
func (s *Sandbox) Samples() Samples {
	samples := Samples{UnknownTransaction: unknownTransaction}
	for _, e := range s.ledger.Transactions() {
		if e.Status == "PENDING" || e.Status == "PIX_QRCODE_GENERATED" {
			samples.OpenTransaction = e.ID
			break
		}
	}
	for _, e := range s.ledger.Notifications() {
		about, ok := s.ledger.Transaction(e.ReferenceID)
		if !ok {
			continue
		}
		if samples.Notification == "" && e.Status == "SENT" && strings.Contains(string(about.JSON()), e.ID) {
			samples.Transaction, samples.Notification = about.ID, e.ID
		}
		if samples.FailedNotification == "" && e.Status == "FAILED" && refusals(e) > 1 {
			samples.FailedNotification = e.ID
		}
	}
	return samples
}

// refusals is how often a notification's destination answered with an error.
func refusals(notification *ledger.Entry) int {
	var record struct {
		Executions []struct{ Response struct{ StatusCode int } }
	}
	if json.Unmarshal(notification.JSON(), &record) != nil {
		return 0 // a record that a test has broken
	}
	n := 0
	for _, execution := range record.Executions {
		if execution.Response.StatusCode >= 400 {
			n++
		}
	}
	return n
}
