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
	kinds // the number of kinds
)

// Kinds returns the kinds in their order.
func Kinds() []Kind {
	list := make([]Kind, kinds)
	for i := range list {
		list[i] = Kind(i)
	}
	return list
}

// String is the kind in the singular, such as "deposit".
func (k Kind) String() string {
	names := [kinds]string{"deposit", "withdrawal", "transaction", "notification"}
	if k < 0 || k >= kinds {
		return "kind " + strconv.Itoa(int(k))
	}
	return names[k]
}

// Entry is one record: the values for filters and lookups, and the record's
// JSON. An Entry in a [Ledger] never changes; a movement replaces it. A field
// that the record lacks, or has as null, is zero.
type Entry struct {
	ID             string
	CreatedAt      time.Time // UTC, whole milliseconds
	Status         string
	Amount         int64 // cents
	DepositOrigin  string
	PixKey         string // pixKey.key of a withdrawal
	EndToEnd       string
	EndToEndRefund string
	ExternalCode   string
	ReferenceID    string // of a notification

	once   sync.Once
	record any // rendered into raw on first use, then dropped
	raw    []byte
}

// NewEntry creates an Entry from a record's JSON, which is kept unchanged and
// may be invalid. A field that cannot be parsed stays zero, and the caller
// may set it before [Ledger.Put]. It exists for tests with invalid records.
func NewEntry(raw []byte) *Entry {
	e := &Entry{raw: raw}
	e.once.Do(func() {}) // raw is already set
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
			// Such a test may use a value of another type.
			_ = json.Unmarshal(value, into)
		}
	}
	e.PixKey = key.Key
	e.CreatedAt = instant(e.CreatedAt)
	return e
}

// JSON returns the record as the REST API sends it. The first call renders
// it, including its QR image if it has one. The caller must not change the
// bytes.
func (e *Entry) JSON() []byte {
	e.once.Do(func() {
		raw, err := encode(e.record)
		if err != nil {
			panic("ledger: a generated record cannot be rendered: " + err.Error())
		}
		e.raw, e.record = raw, nil
	})
	return e.raw
}
