package upstream

import (
	"fmt"

	"pixgraph/upstream/wire"
)

// Raw is a record as it is read by those who need no accessors: package projection copies from it what was selected.
// What it copies it reads by the functions below, which the accessors use too, so that both take and refuse the same.
type Raw struct {
	Service Service
	Index   wire.Object
}

// RawOf returns a record's index.
func RawOf[T Deposit | Withdrawal | Transaction | Notification](record *T) Raw {
	o := struct{ object }(*record)
	return Raw{o.service, o.index}
}

// FromRaw gives a record its accessors again.
func FromRaw[T Deposit | Withdrawal | Transaction | Notification](raw Raw) *T {
	return asResource[T](object{raw.Service, raw.Index})
}

// Raw returns the record's index. It fails when the record is no JSON object, as Decode does.
func (r Record[T]) Raw() (Raw, error) {
	if !r.element.OK {
		return Raw{}, &Error{Op: "read a record", Service: r.service, Kind: KindInvalidResponse, Err: wire.ErrWrongKind}
	}
	return Raw{r.service, r.element.Object}, nil
}

// Broken is the error for a member that is not what the spec says.
func Broken(service Service, name string, err error) error {
	return &Error{Op: "read " + name, Service: service, Kind: KindInvalidResponse, Err: fmt.Errorf("%s %w", name, err)}
}

// BrokenElement is the error for an element of a list.
func BrokenElement(service Service, name string, err error) error {
	return Broken(service, name+" element", err)
}

// CheckPresent fails for a member that the spec requires and that is absent or null.
func CheckPresent(value []byte) error {
	switch {
	case value == nil:
		return errMissing
	case value[0] == 'n':
		return errNull
	default:
		return nil
	}
}

// ReadText and its like read a value that is there and not null.
func ReadText(value []byte) (Text, error) { return readText(value) }

// ReadCents reads an amount.
func ReadCents(value []byte) (Cents, error) { return readCents(value) }

// ReadDecimal reads a number.
func ReadDecimal(value []byte) (Decimal, error) { return readDecimal(value) }

// ReadInt32 reads an integer of 32 bits.
func ReadInt32(value []byte) (int32, error) { return readInt32(value) }

// ReadBool reads a boolean.
func ReadBool(value []byte) (bool, error) { return readBool(value) }

// ReadJSON reads a value of any kind.
func ReadJSON(value []byte) (JSON, error) { return readJSON(value) }

// ReadContact reads an e-mail address or a telephone number.
func ReadContact(value []byte) (*Contact, error) { return readContact(value) }

// Split cuts a list into its elements.
func Split(value []byte) ([][]byte, error) { return wire.Split(value, maxElements) }
