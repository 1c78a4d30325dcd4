package upstream

import (
	"fmt"

	"pixgraph/upstream/wire"
)

// Raw is a record without accessors. Package projection copies the selected values from it, with the functions below. The
// accessors use the same functions, so both accept and reject the same values.
type Raw struct {
	Service Service
	Value   wire.Value // an object
}

// RawOf returns the Raw of a record.
func RawOf[T Resource](record *T) Raw {
	o := struct{ object }(*record)
	return Raw{o.service, o.value}
}

// FromRaw returns the record of a Raw. Only tests use it.
func FromRaw[T Resource](raw Raw) *T { return asResource[T](object{raw.Service, raw.Value}) }

// Text reads a member that is a string, as the accessors do. An absent or null member is nil, or an error if it must exist.
func (r Raw) Text(name string, mustExist bool) (Text, error) {
	o := object{r.Service, r.Value}
	if mustExist {
		return o.text(name)
	}
	return o.maybeText(name)
}

// Raw returns the Raw of the record. It fails if the record is not a JSON object, as Decode does.
func (r Record[T]) Raw() (Raw, error) {
	o, err := r.object()
	return Raw{o.service, o.value}, err
}

// Broken returns the error for a member that breaks the contract.
func Broken(service Service, name string, err error) error {
	return &Error{Op: "read " + name, Service: service, Kind: KindInvalidResponse, Err: fmt.Errorf("`%s` %w", name, err)}
}

// BrokenElement returns the error for an element of a list that breaks the contract.
func BrokenElement(service Service, name string, err error) error {
	return &Error{Op: "read " + name + " element", Service: service, Kind: KindInvalidResponse, Err: fmt.Errorf("an element of `%s` %w", name, err)}
}

// CheckPresent fails if the value of a required member is absent or null.
func CheckPresent(value wire.Value) error {
	switch {
	case !value.Exists():
		return errMissing
	case value.IsNull():
		return errNull
	default:
		return nil
	}
}

// ReadText reads a string. Like the functions below, it requires a value that exists and is not null.
func ReadText(value wire.Value) (Text, error) { return readText(value) }

// ReadCents reads an amount.
func ReadCents(value wire.Value) (Cents, error) { return readCents(value) }

// ReadDecimal reads a number.
func ReadDecimal(value wire.Value) (Decimal, error) { return readDecimal(value) }

// ReadInt32 reads an integer of 32 bits.
func ReadInt32(value wire.Value) (int32, error) { return readInt32(value) }

// ReadBool reads a boolean.
func ReadBool(value wire.Value) (bool, error) { return readBool(value) }

// ReadJSON reads a value of any kind.
func ReadJSON(value wire.Value) (JSON, error) { return readJSON(value) }

// ReadContact reads an e-mail address or a telephone number.
func ReadContact(value wire.Value) (*Contact, error) { return readContact(value) }
