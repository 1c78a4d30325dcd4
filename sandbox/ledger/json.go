package ledger

import (
	"bytes"
	"encoding/json"
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

// optional is a field that the spec marks N: absent as the zero value, null,
// or present. Its struct tag must have omitzero.
type optional[T any] struct {
	state presence
	value T
}

type presence byte

const (
	absent presence = iota
	null
	present
)

func some[T any](v T) optional[T] { return optional[T]{state: present, value: v} }

// get returns the value, or nil if it is absent or null.
func (o optional[T]) get() any {
	if o.state != present {
		return nil
	}
	return o.value
}

// IsZero makes omitzero omit an absent field.
func (o optional[T]) IsZero() bool { return o.state == absent }

// MarshalJSON encodes null or the value.
func (o optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != present {
		return []byte("null"), nil
	}
	return encode(o.value)
}

// timestamp is a time in the format of the records: ISO 8601, UTC, milliseconds.
type timestamp time.Time

// MarshalJSON encodes the time, such as "2026-06-30T12:00:00.000Z".
func (t timestamp) MarshalJSON() ([]byte, error) {
	return time.Time(t).AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// object is a free-form JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON encodes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
