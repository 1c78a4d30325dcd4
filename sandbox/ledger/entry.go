package ledger

import (
	"encoding/json"
	"hash/crc64"
	"maps"
	"reflect"
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
	kind   Kind                       // of record
	record any                        // rendered into raw on first use; nil if it has only raw
	fields map[string]json.RawMessage // of raw, without a record
	raw    []byte
}

// entryOf is the Entry of a generated record, which must not change.
func entryOf(kind Kind, record any) *Entry {
	of := reflect.ValueOf(record)
	created, _ := memberOf(of, "createdAt").Interface().(timestamp)
	e := &Entry{kind: kind, record: record, CreatedAt: time.Time(created), ID: memberOf(of, "id").String(), Status: memberOf(of, "status").String()}
	if amount := memberOf(of, "amount"); amount.IsValid() {
		e.Amount = amount.Int()
	}
	return e
}

// NewEntry creates an Entry from a record's JSON, which is kept unchanged and
// may be invalid. A field that cannot be parsed stays zero, and the caller
// may set it before [Ledger.Put]. It exists for tests with invalid records.
func NewEntry(raw []byte) *Entry {
	e := &Entry{raw: raw}
	e.once.Do(func() {}) // raw is already set
	if json.Unmarshal(raw, &e.fields) != nil {
		return e
	}
	for name, into := range map[string]any{"id": &e.ID, "createdAt": &e.CreatedAt, "status": &e.Status, "amount": &e.Amount} {
		if value, ok := e.fields[name]; ok {
			// Such a test may use a value of another type.
			_ = json.Unmarshal(value, into)
		}
	}
	e.CreatedAt = instant(e.CreatedAt)
	return e
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
	if e.record == nil {
		raw := e.fields[name]
		if nested {
			return NewEntry(raw).Text(rest)
		}
		return textOf(raw)
	}
	value := reflect.ValueOf(e.record)
	if indexOf(reflect.Indirect(value), name) == nil {
		return textOf(e.drawn()[name])
	}
	for name := range strings.SplitSeq(path, ".") {
		value = memberOf(value, name)
	}
	switch value.Kind() {
	case reflect.Invalid:
		return ""
	case reflect.String:
		return value.String()
	}
	raw, _ := encode(value.Interface()) // as JSON renders it
	return textOf(raw)
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

// property is a member of a kind of record by the contract.
type property struct {
	name               string
	values             []string // JSON
	required, nullable bool
}

// drawn are the members of the contract that the type of the record lacks: they
// are new, and nobody has written better values. They depend on the id only.
func (e *Entry) drawn() map[string]json.RawMessage {
	drawn := map[string]json.RawMessage{}
	for i, p := range properties[e.kind] {
		if indexOf(reflect.Indirect(reflect.ValueOf(e.record)), p.name) != nil {
			continue
		}
		d := newDraw(crc64.Checksum([]byte(e.ID), crc64.MakeTable(crc64.ISO)), propertyStream, i)
		switch value := maybe(d, pick(d, p.values)); {
		case value.state == null && p.nullable:
			drawn[p.name] = json.RawMessage("null")
		case value.state == present || p.required:
			drawn[p.name] = json.RawMessage(pick(d, p.values))
		}
	}
	return drawn
}

// fields caches the results of indexOf. Its keys are the types of this package with names of the contract.
var fields sync.Map

// memberOf returns a member of a generated object; the zero Value if the object lacks it.
func memberOf(object reflect.Value, name string) reflect.Value {
	object = reflect.Indirect(object)
	index := indexOf(object, name)
	if index == nil {
		return reflect.Value{}
	}
	value := object.FieldByIndex(index)
	if optional, ok := value.Interface().(interface{ get() any }); ok {
		return reflect.ValueOf(optional.get())
	}
	return value
}

// indexOf returns where an object has a member; nil if its type has none.
func indexOf(object reflect.Value, name string) []int {
	if object.Kind() != reflect.Struct {
		return nil
	}
	key := [...]any{object.Type(), name}
	index, known := fields.Load(key)
	if !known {
		field, _ := object.Type().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
		index, _ = fields.LoadOrStore(key, field.Index)
	}
	return index.([]int)
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
		drawn := e.drawn()
		for _, name := range slices.Sorted(maps.Keys(drawn)) {
			raw = append(append(raw[:len(raw)-1], `,"`+name+`":`...), append(drawn[name], '}')...)
		}
		e.raw = raw
	})
	return e.raw
}
