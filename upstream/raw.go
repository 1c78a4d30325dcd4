package upstream

import (
	"fmt"

	"pixgraph/upstream/wire"
)

// Raw is a JSON object of a service. Its members are bytes until they are read, and only members that are read are
// checked. So a record that breaks the contract in one field works for every query that does not select that field.
type Raw struct {
	Service Service
	Value   wire.Value // an object, or the zero Value
}

// Resource is any kind of record, such as Deposit.
type Resource interface{ ~struct{ Raw } }

// AnyResource is a pointer to a Resource of any type.
type AnyResource interface{ raw() Raw }

func (r Raw) raw() Raw { return r }

// RawOf returns the Raw of a record.
func RawOf[T Resource](record *T) Raw { return struct{ Raw }(*record).Raw }

// RawOfAny returns the Raw of a record.
func RawOfAny(record AnyResource) Raw { return record.raw() }

// ResourceOf returns the record of a Raw.
func ResourceOf[T Resource](raw Raw) *T {
	value := T(struct{ Raw }{raw})
	return &value
}

// objectOf fails if the value is not an object.
func objectOf(service Service, value wire.Value) (Raw, error) {
	if value.Kind() != '{' {
		return Raw{}, wire.ErrWrongKind
	}
	return Raw{service, value}, nil
}

// get returns a member, or the zero Value if it is absent.
func (r Raw) get(name string) wire.Value {
	if !r.Value.Exists() {
		return r.Value
	}
	return r.Value.Get(name)
}

// Text reads a member that is a string. An absent or null member is nil, or an error if it must exist.
func (r Raw) Text(name string, mustExist bool) (Text, error) {
	if mustExist {
		return required(r, name, ReadText)
	}
	return optional(r, name, ReadText)
}

// ID returns the id of a record.
func (r Raw) ID() (Text, error) { return r.Text("id", true) }

// ReferenceID returns the id of the payment that a notification is about.
func (n *Notification) ReferenceID() (Text, error) { return n.Text("referenceId", true) }

// Metadata returns free-form JSON of a transaction; nil without any.
func (t *Transaction) Metadata() (JSON, error) { return optional(t.Raw, "metadata", ReadJSON) }

// optional and required are Optional and Required for a member of an object.
func optional[T any](r Raw, name string, read func(wire.Value) (T, error)) (T, error) {
	return Optional(r.Service, name, r.get(name), read)
}

func required[T any](r Raw, name string, read func(wire.Value) (T, error)) (T, error) {
	return Required(r.Service, name, r.get(name), read)
}

// Optional reads the value of a member that may be absent or null. In both cases it returns the zero value of T.
func Optional[T any](service Service, name string, value wire.Value, read func(wire.Value) (T, error)) (got T, err error) {
	var zero T
	if !value.Exists() || value.IsNull() {
		return zero, nil
	}
	if got, err = read(value); err != nil {
		return zero, Broken(service, name, err)
	}
	return got, nil
}

// Required reads the value of a member that must be present and not null.
func Required[T any](service Service, name string, value wire.Value, read func(wire.Value) (T, error)) (got T, err error) {
	if err := CheckPresent(value); err != nil {
		return got, Broken(service, name, err)
	}
	return Optional(service, name, value, read)
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
