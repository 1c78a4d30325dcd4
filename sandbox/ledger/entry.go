package ledger

import (
	"encoding/json"
	"hash/crc64"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kind is one of the kinds of record.
type Kind int

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
	if k < 0 || k >= kinds {
		return "kind " + strconv.Itoa(int(k))
	}
	return names[k]
}

// Entry is one record: its JSON, and the values that most filters and lookups
// need. An Entry in a [Ledger] never changes; a movement replaces it. A field
// that the record lacks, or has as null, is zero.
type Entry struct {
	ID        string
	CreatedAt time.Time // UTC, whole milliseconds
	Status    string
	Amount    int64 // cents

	once   sync.Once
	record object     // rendered into raw on first use
	listed []property // the members of its kind by the contract; nil if it has only raw
	raw    []byte
}

// entryOf is the Entry of a generated record, which must not change.
func entryOf(kind Kind, record object) *Entry {
	e := &Entry{record: record, listed: properties[kind]}
	created, _ := record.get("createdAt").(timestamp)
	e.CreatedAt = time.Time(created)
	e.ID, _ = record.get("id").(string)
	e.Status, _ = record.get("status").(string)
	e.Amount, _ = record.get("amount").(int64)
	return e
}

// NewEntry creates an Entry from a record's JSON, which is kept unchanged and
// may be invalid. A field that cannot be parsed stays zero, and the caller
// may set it before [Ledger.Put]. It exists for tests with invalid records.
func NewEntry(raw []byte) *Entry {
	e := &Entry{raw: raw, record: parse(raw)}
	e.once.Do(func() {}) // raw is already set
	for name, into := range map[string]any{"id": &e.ID, "createdAt": &e.CreatedAt, "status": &e.Status, "amount": &e.Amount} {
		if value, ok := e.record.get(name).(json.RawMessage); ok {
			// Such a test may use a value of another type.
			_ = json.Unmarshal(value, into)
		}
	}
	e.CreatedAt = instant(e.CreatedAt)
	return e
}

// parse returns the members of an object, each as JSON; nil if it is not one.
func parse(raw []byte) (o object) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	for name, value := range members {
		o = append(o, member{name, value})
	}
	return o
}

// Text is the member at a path, such as pixKey.key: a string, or the JSON of
// another value; "" if the record lacks it.
func (e *Entry) Text(path string) string {
	switch path {
	case "id":
		return e.ID
	case "status":
		return e.Status
	case "amount":
		return strconv.FormatInt(e.Amount, 10)
	}
	name, rest, nested := strings.Cut(path, ".")
	value := e.value(name)
	for nested {
		name, rest, nested = strings.Cut(rest, ".")
		if raw, ok := value.(json.RawMessage); ok {
			value = parse(raw)
		}
		within, _ := value.(object)
		value = within.get(name)
	}
	raw, _ := encode(value) // as JSON renders it
	var text string
	if value == (absent{}) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// value is the value of a member. The record may be that of a payment, with members of other kinds.
func (e *Entry) value(name string) any {
	i := slices.IndexFunc(e.listed, func(p property) bool { return p.name == name })
	switch m := e.record.find(name); {
	case i < 0 && e.listed != nil || i < 0 && m == nil:
		return absent{}
	case m == nil:
		return e.listed[i].draw(newDraw(crc64.Checksum([]byte(e.ID), crc64.MakeTable(crc64.ISO)), propertyStream, i))
	default:
		return m.value
	}
}

// property is a member of a kind of record by the contract.
type property struct {
	name               string
	values             []string // JSON; nil for an object or a list
	required, nullable bool
}

// draw returns the value of a member that records of the contract have and the generator does not make: it is new, and
// nobody has written better values. It depends on the id of the record only.
func (p property) draw(d draw) any {
	if p.values == nil {
		return absent{}
	}
	switch value := d.maybe(json.RawMessage(pick(d, p.values))); {
	case value == nil && p.nullable:
		return nil
	case value != nil && value != (absent{}) || p.required:
		return json.RawMessage(pick(d, p.values))
	}
	return absent{}
}

// JSON returns the record as the REST API sends it. The first call renders
// it, including its QR image if it has one. The caller must not change the
// bytes.
func (e *Entry) JSON() []byte {
	e.once.Do(func() {
		var whole object
		for _, p := range e.listed {
			whole = append(whole, member{p.name, e.value(p.name)})
		}
		raw, err := encode(whole)
		if err != nil {
			panic("ledger: a generated record cannot be rendered: " + err.Error())
		}
		e.raw = raw
	})
	return e.raw
}
