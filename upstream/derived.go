package upstream

import "pixgraph/upstream/wire"

// A derivation computes a field that no API sends from a record that was read. It appends the value as JSON with the members
// of the field's type in the schema, so that both executors read it like a value of an API. It never fails: what cannot be
// read in the record is a statement of the value. It must not modify or keep the record.
type derivation func(to []byte, record *object) []byte

// derivations are the derived fields of the schema, by type and name.
var derivations = map[string]derivation{
	"Notification.delivery": appendDelivery,
}

// Derived returns the function that computes a derived field; nil for a field that the API sends. The value must be released.
func Derived(typeName, field string) func(Raw) wire.Value {
	derive := derivations[typeName+"."+field]
	if derive == nil {
		return nil
	}
	return func(raw Raw) wire.Value {
		return derive.of(&object{raw.Service, raw.Value})
	}
}

func (d derivation) of(record *object) wire.Value {
	value, err := wire.Index(d(nil, record))
	if err != nil {
		panic("upstream: a derived value is not JSON") // a bug
	}
	return value
}

// derivedPart reads a derived object.
func derivedPart[T Resource](record *object, derive derivation) (*T, error) {
	return partReader[T](record)(derive.of(record))
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
