package upstream

import (
	"errors"

	"pixgraph/upstream/wire"
)

// The accessors below are the vocabulary of deposit.go, withdrawal.go, transaction.go, notification.go and
// party.go: the plain name reads what the spec requires (Y), the maybe form what may be absent or null (N).

func (o *object) text(name string) (Text, error) { return required(o, name, readText) }

func (o *object) maybeText(name string) (Text, error) { return optional(o, name, readText) }

func (o *object) cents(name string) (Cents, error) { return required(o, name, readCents) }

func (o *object) maybeCents(name string) (*Cents, error) {
	return optional(o, name, pointer(readCents))
}

func (o *object) decimal(name string) (Decimal, error) { return required(o, name, readDecimal) }

func (o *object) maybeDecimal(name string) (Decimal, error) { return optional(o, name, readDecimal) }

func (o *object) integer(name string) (int64, error) { return required(o, name, readInteger) }

func (o *object) int32(name string) (int32, error) { return required(o, name, readInt32) }

func (o *object) flag(name string) (bool, error) { return required(o, name, readBool) }

func (o *object) json(name string) (JSON, error) { return required(o, name, readJSON) }

func (o *object) maybeJSON(name string) (JSON, error) { return optional(o, name, readJSON) }

// part reads a nested object that is always there, maybePart one that may be absent.
func part[T resource](o *object, name string) (*T, error) { return required(o, name, partReader[T](o)) }

func maybePart[T resource](o *object, name string) (*T, error) {
	return optional(o, name, partReader[T](o))
}

// parts reads a list of objects that is always there, maybeParts one that may be absent.
func parts[T resource](o *object, name string) ([]Element[T], error) {
	return required(o, name, elementsReader(o, name, partReader[T](o)))
}

func maybeParts[T resource](o *object, name string) ([]Element[T], error) {
	return optional(o, name, elementsReader(o, name, partReader[T](o)))
}

// texts reads a list of strings.
func (o *object) texts(name string) ([]Element[Text], error) {
	return required(o, name, elementsReader(o, name, pointer(readText)))
}

// Element is one place of a list: its value, or why there is none. A broken element spoils its own place only.
type Element[T any] struct {
	Value *T
	Err   error
}

func elementsReader[T any](o *object, name string, read func([]byte) (*T, error)) func([]byte) ([]Element[T], error) {
	return func(value []byte) ([]Element[T], error) {
		raws, err := wire.Split(value, maxElements)
		if err != nil {
			return nil, err
		}
		elements := make([]Element[T], len(raws))
		for i, raw := range raws {
			v, err := read(raw)
			if err != nil {
				err = BrokenElement(o.service, name, err)
			}
			elements[i] = Element[T]{v, err}
		}
		return elements, nil
	}
}

func partReader[T resource](o *object) func([]byte) (*T, error) {
	return func(value []byte) (*T, error) {
		index, err := wire.Index(value)
		if err != nil {
			return nil, err
		}
		return asResource[T](object{o.service, index}), nil
	}
}

func pointer[T any](read func([]byte) (T, error)) func([]byte) (*T, error) {
	return func(value []byte) (*T, error) {
		v, err := read(value)
		if err != nil {
			return nil, err
		}
		return &v, nil
	}
}

// maxElements bounds a list, of records or within one: ten times the largest page that is asked for. Each element costs
// some hundred bytes of answer, so a body of nothing but elements would become a hundred times as large.
const maxElements = 1000

func readArray(value []byte) (JSON, error) {
	if value[0] != '[' {
		return nil, wire.ErrWrongKind
	}
	return value, nil
}

func isNumber(value []byte) bool { return value[0] == '-' || value[0] >= '0' && value[0] <= '9' }

func readText(value []byte) (Text, error) {
	if value[0] != '"' {
		return nil, wire.ErrWrongKind
	}
	return value, checkUnicode(value)
}

func readInteger(value []byte) (int64, error) {
	if !isNumber(value) {
		return 0, wire.ErrWrongKind
	}
	return parseInteger(value)
}

func readInt32(value []byte) (int32, error) {
	integer, err := readInteger(value)
	if err == nil && integer != int64(int32(integer)) {
		err = errNoInt32
	}
	return int32(integer), err
}

func readCents(value []byte) (Cents, error) {
	cents, err := readInteger(value)
	return Cents(cents), err
}

func readDecimal(value []byte) (Decimal, error) {
	if !isNumber(value) {
		return nil, wire.ErrWrongKind
	}
	return value, nil
}

func readBool(value []byte) (bool, error) {
	if value[0] != 't' && value[0] != 'f' {
		return false, wire.ErrWrongKind
	}
	return value[0] == 't', nil
}

func readJSON(value []byte) (JSON, error) {
	return value, errors.Join(checkNesting(value), checkUnicode(value))
}

// enumeration is a string type with a closed list of values and UNKNOWN for whatever else an API may send.
type enumeration interface {
	~string
	Known() bool
}

// enum reads a member as one of E's values, UNKNOWN when the API sends a text that the spec does not list.
func enum[E enumeration](o *object, name string) (E, error) {
	text, err := o.text(name)
	if err != nil {
		return "", err
	}
	if value := E(text.String()); value.Known() {
		return value, nil
	}
	return Unknown, nil
}
