package ledger

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// Kind is one of the four kinds of record.
type Kind int

// The kinds of record, one for each resource of spec 2.
const (
	Deposit Kind = iota
	Withdrawal
	Transaction
	Notification
	kinds // how many there are
)

// String names the kind in the singular, such as "deposit".
func (k Kind) String() string {
	switch k {
	case Deposit:
		return "deposit"
	case Withdrawal:
		return "withdrawal"
	case Transaction:
		return "transaction"
	case Notification:
		return "notification"
	}
	return "kind " + strconv.Itoa(int(k))
}

// Entry is one record: what filters and lookups need, and the record's JSON.
// An Entry in a [Ledger] never changes; a movement replaces it. A field that
// its record does not have, or has as null, is zero.
type Entry struct {
	ID             string
	CreatedAt      time.Time // UTC, whole milliseconds
	Status         string
	Amount         int64 // cents
	DepositOrigin  string
	PixKey         string // the withdrawal's pixKey.key
	EndToEnd       string
	EndToEndRefund string
	ExternalCode   string
	ReferenceID    string // the notification's

	once   sync.Once
	record any // rendered once into raw, then dropped
	raw    []byte
}

// NewEntry makes an Entry of a record's JSON, which it keeps as it is and
// need not be valid: what cannot be read from it stays zero, and the caller
// may set it before [Ledger.Put]. It exists for tests that break records.
func NewEntry(raw []byte) *Entry {
	e := &Entry{raw: raw}
	e.once.Do(func() {}) // raw is there already
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return e
	}
	var key struct{ Key string }
	for name, into := range map[string]any{
		"id": &e.ID, "createdAt": &e.CreatedAt, "status": &e.Status, "amount": &e.Amount,
		"depositOrigin": &e.DepositOrigin, "pixKey": &key, "endToEnd": &e.EndToEnd,
		"endToEndRefund": &e.EndToEndRefund, "externalCode": &e.ExternalCode, "referenceId": &e.ReferenceID,
	} {
		if value, ok := fields[name]; ok {
			// A value of another type is what such a test is about.
			_ = json.Unmarshal(value, into)
		}
	}
	e.PixKey = key.Key
	e.CreatedAt = instant(e.CreatedAt)
	return e
}

// JSON returns the record as the REST API sends it. The first call renders
// it, with its QR image if it has one. The caller must not change the bytes.
func (e *Entry) JSON() []byte {
	e.once.Do(func() {
		raw, err := encode(e.record)
		if err != nil {
			panic("ledger: a record of our own does not render: " + err.Error())
		}
		e.raw, e.record = raw, nil
	})
	return e.raw
}
