package sandbox

import (
	"encoding/json"
	"strings"

	"pixgraph/sandbox/ledger"
)

// Samples are the ids of instructive records, for first-time users of the
// sandbox. An id is empty if there is no such record.
type Samples struct {
	OpenTransaction    string `json:"openTransaction"`    // moves on to PAID over time
	Transaction        string `json:"transaction"`        // has notifications, and their ids in its metadata
	UnknownTransaction string `json:"unknownTransaction"` // a UUID that no transaction has
	Notification       string `json:"notification"`       // SENT, about Transaction
	FailedNotification string `json:"failedNotification"` // attempted and failed, about a transaction
}

// unknownTransaction is an id that the ledger never generates: its ids are random.
const unknownTransaction = "00000000-0000-4000-8000-000000000000"

// Samples finds the newest record of each type. Unless a test changes records
// the ids stay valid while the sandbox runs: open payments keep their ids.
func (s *Sandbox) Samples() Samples {
	samples := Samples{UnknownTransaction: unknownTransaction}
	for _, e := range s.ledger.Transactions() {
		if e.Status == "PENDING" || e.Status == "PIX_QRCODE_GENERATED" {
			samples.OpenTransaction = e.ID
			break
		}
	}
	for _, e := range s.ledger.Notifications() {
		about, ok := s.ledger.Find(ledger.Transaction, e.Text("referenceId"))
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

// refusals is how often a notification's destination returned an error.
func refusals(notification *ledger.Entry) int {
	var record struct {
		Executions []struct{ Response struct{ StatusCode int } }
	}
	if json.Unmarshal(notification.JSON(), &record) != nil {
		return 0 // a record that a test made invalid
	}
	n := 0
	for _, execution := range record.Executions {
		if execution.Response.StatusCode >= 400 {
			n++
		}
	}
	return n
}
