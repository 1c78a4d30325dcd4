package ledger

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// encode encodes v as the services' own JSON libraries do: compact, without escapes of <, > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// timestamp is a time in the format of the records: ISO 8601, UTC, milliseconds.
type timestamp time.Time

// MarshalJSON encodes the time, such as "2026-06-30T12:00:00.000Z".
func (t timestamp) MarshalJSON() ([]byte, error) {
	return time.Time(t).AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// object is a JSON object: a record, a part of one, or free-form JSON. Its members keep their order.
type object []member

type member struct {
	name  string
	value any // absent{} for a member that is not rendered
}

// absent is the value of a member that the spec marks N, where a record does not have it.
type absent struct{}

// find returns a member; nil if the object does not have it.
func (o object) find(name string) *member {
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
		return &o[i]
	}
	return nil
}

// get returns the value of a member; nil if the object does not have it.
func (o object) get(name string) any {
	if m := o.find(name); m != nil {
		return m.value
	}
	return nil
}

// set adds a member or replaces its value.
func (o *object) set(name string, value any) {
	if m := o.find(name); m != nil {
		m.value = value
		return
	}
	*o = append(*o, member{name, value})
}

// MarshalJSON encodes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for _, m := range o {
		if m.value == (absent{}) {
			continue
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(append(b, name...), ':'), value...), ',')
	}
	return append(bytes.TrimSuffix(b, []byte{','}), '}'), nil
}
