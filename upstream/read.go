package upstream

import (
	"errors"

	"pixgraph/upstream/wire"
)

// The functions below read the value of a member, which must exist and not be null.

// ReadText reads a string.
func ReadText(value wire.Value) (Text, error) {
	switch {
	case value.IsPlain():
		return value.Bytes(), nil
	case value.Kind() != '"':
		return nil, wire.ErrWrongKind
	default:
		text := value.Bytes()
		return text, checkUnicode(text)
	}
}

func readInteger(value wire.Value) (int64, error) {
	if !value.IsNumber() {
		return 0, wire.ErrWrongKind
	}
	return parseInteger(value.Bytes())
}

// ReadInt32 reads an integer of 32 bits.
func ReadInt32(value wire.Value) (int32, error) {
	integer, err := readInteger(value)
	if err == nil && integer != int64(int32(integer)) {
		err = errInt32
	}
	return int32(integer), err
}

// ReadCents reads an amount.
func ReadCents(value wire.Value) (Cents, error) {
	cents, err := readInteger(value)
	return Cents(cents), err
}

// ReadDecimal reads a number.
func ReadDecimal(value wire.Value) (Decimal, error) {
	if !value.IsNumber() {
		return nil, wire.ErrWrongKind
	}
	return value.Bytes(), nil
}

// ReadBool reads a boolean.
func ReadBool(value wire.Value) (bool, error) {
	kind := value.Kind()
	if kind != 't' && kind != 'f' {
		return false, wire.ErrWrongKind
	}
	return kind == 't', nil
}

// ReadJSON reads a value of any kind.
func ReadJSON(value wire.Value) (JSON, error) {
	raw := value.Bytes()
	if value.IsPlain() {
		return raw, nil
	}
	return raw, errors.Join(checkNesting(raw), checkUnicode(raw))
}

// Unknown is the value of an enumeration for a text that the spec does not list. It is never sent to an API.
const Unknown = "UNKNOWN"

// enumeration is a string type with the values of the spec, and UNKNOWN for any other value.
type enumeration interface {
	~string
	Known() bool
}

// enum reads a member as a value of E. It returns UNKNOWN for a text that the spec does not list.
func enum[E enumeration](r Raw, name string) (E, error) {
	text, err := r.Text(name, true)
	if err != nil {
		return "", err
	}
	if value := E(text.String()); value.Known() {
		return value, nil
	}
	return Unknown, nil
}
