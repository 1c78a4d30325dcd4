package upstream

import "pixgraph/upstream/wire"

// A derivation computes a field that no API sends from a record that was read. It appends the value as JSON with the
// members of the field's type in the schema, so that package projection reads it like a value of an API. It fails
// only if the members that the value is about break the contract; anything else that cannot be read is a statement of
// the value. It must not modify or keep the record. A value of no bytes is null.
type derivation func(to []byte, record Raw) ([]byte, error)

// derivations are the derived fields of the schema, by name.
var derivations = map[string]derivation{
	"delivery": appendDelivery, "timeline": appendTimeline, "endToEndId": appendEndToEndID, "endToEndRefundId": appendEndToEndRefundID,
	"brCode": appendBRCode, "live": appendLive,
}

// DerivedNames returns the names of the derived fields that take processor time.
func DerivedNames() map[string]bool {
	names := map[string]bool{}
	for name := range derivations {
		names[name] = true
	}
	delete(names, "live")
	return names
}

// Derived returns the function that computes a derived field; nil for a field that the API sends. A value that exists
// must be released. Its size is bounded by that of the record: a timeline and a delivery copy a few members, and a
// decoded Pix text has at most 8 KiB: 6 bytes for each of 1,024 characters, and 32 problems.
func Derived(field string) func(Raw) (wire.Value, error) {
	derive := derivations[field]
	if derive == nil {
		return nil
	}
	return derive.of
}

func (d derivation) of(record Raw) (wire.Value, error) {
	text, err := d(nil, record)
	if err != nil || len(text) == 0 {
		return wire.Value{}, err
	}
	value, err := wire.IndexDerived(text)
	if err != nil {
		panic("upstream: a derived value is not JSON") // a bug
	}
	return value, nil
}

// appendMember appends a further member with a JSON value; none for an empty value.
func appendMember[T ~[]byte](to []byte, name string, value T) []byte {
	if len(value) == 0 {
		return to
	}
	to = append(to, `,"`...)
	to = append(to, name...)
	to = append(to, `":`...)
	return append(to, value...)
}

// appendLive appends nothing: the field is null except in an event, whose stream replaces the null.
func appendLive(to []byte, _ Raw) ([]byte, error) { return to, nil }
