package ledger

import (
	"encoding/json"
	"strings"
	"time"
)

// Change is a record that has another status.
type Change struct {
	Kind   Kind
	ID     string
	Status string
}

// OnChange sets the function that is called after records have changed by Step and SetStatus. It must not block.
func (l *Ledger) OnChange(notify func([]Change)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notify = notify
}

// SetStatus gives the transaction and the deposit, or the withdrawal, with an id another status, which is added to the
// history. It changes no other field, except the dates and amounts that belong to a status, so any status can follow
// any other. An open payment no longer moves. ok is false if there is no such record.
func (l *Ledger) SetStatus(id, status string) (ok bool) {
	var changes []Change
	l.mu.Lock()
	at := l.tick()
	for _, kind := range []Kind{Transaction, Deposit, Withdrawal} {
		old, found := l.tables[kind].byID[strings.ToLower(id)]
		if !found {
			continue
		}
		if changed := withStatus(old, status, at); changed != nil {
			l.tables[kind].put(changed)
			changes = append(changes, Change{kind, old.ID, status})
		}
	}
	notify := l.notify
	l.mu.Unlock()
	if notify != nil && len(changes) > 0 {
		notify(changes)
	}
	return len(changes) > 0
}

// withStatus returns the record with another status; nil if it is not a valid record.
func withStatus(old *Entry, status string, at time.Time) *Entry {
	var fields map[string]json.RawMessage
	var history []struct {
		Status   string    `json:"status"`
		Date     time.Time `json:"date"`
		Duration int64     `json:"durationInMilliseconds"`
	}
	if json.Unmarshal(old.JSON(), &fields) != nil || json.Unmarshal(fields["statusHistory"], &history) != nil {
		return nil
	}
	entries := make([]statusEntry, len(history))
	for i, h := range history {
		entries[i] = statusEntry{h.Status, timestamp(h.Date), h.Duration}
	}
	set := func(name string, value any) { fields[name], _ = json.Marshal(value) } // of values that are valid
	set("status", status)
	set("statusHistory", reached(entries, status, at))
	set("updatedAt", timestamp(at))
	switch status {
	case paid:
		set("amountPaid", fields["amount"])
		set("paymentDate", timestamp(at))
	case refunded:
		set("refundAmount", fields["amount"])
		set("refundDate", timestamp(at))
	case processed:
		set("processedDate", timestamp(at))
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return NewEntry(raw)
}
