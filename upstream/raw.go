package upstream

import (
	"fmt"

	"pixgraph/upstream/wire"
)

// Raw is a record of any kind, or an object within one. Package projection copies the selected values from it, with
// functions such as ReadText.
type Raw struct {
	Service Service
	Value   wire.Value // an object
}

// RawOf returns the Raw of a record.
func RawOf[T Resource](record *T) Raw {
	o := struct{ object }(*record)
	return o.raw()
}

// ResourceOf returns the record of a Raw.
func ResourceOf[T Resource](raw Raw) *T { return asResource[T](object{raw.Service, raw.Value}) }

func (o *object) raw() Raw { return Raw{o.service, o.value} }

// AnyResource is a pointer to a Resource of any type.
type AnyResource interface{ raw() Raw }

// RawOfAny returns the Raw of a record.
func RawOfAny(record AnyResource) Raw { return record.raw() }

// Text reads a member that is a string. An absent or null member is nil, or an error if it must
// exist.
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
		return ErrMissing
	case value.IsNull():
		return errNull
	default:
		return nil
	}
}
