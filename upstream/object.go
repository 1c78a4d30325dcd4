package upstream

import "pixgraph/upstream/wire"

// object is a JSON object of a service. Its members are bytes until they are read, and only members that are read are
// checked. So a record that breaks the contract in one field works for every query that does not select that field.
type object struct {
	service Service
	value   wire.Value // an object, or the zero Value
}

// asObject fails if the value is not an object.
func asObject(service Service, value wire.Value) (object, error) {
	if value.Kind() != '{' {
		return object{}, wire.ErrWrongKind
	}
	return object{service, value}, nil
}

// get returns a member, or the zero Value if it is absent.
func (o *object) get(name string) wire.Value {
	if !o.value.Exists() {
		return o.value
	}
	return o.value.Get(name)
}

// ID returns the id of a record.
func (o *object) ID() (Text, error) { return o.text("id") }

// ReferenceID returns the id of the payment that a notification is about.
func (n *Notification) ReferenceID() (Text, error) { return n.text("referenceId") }

// Metadata returns free-form JSON of a transaction; nil without any.
func (t *Transaction) Metadata() (JSON, error) { return optional(&t.object, "metadata", ReadJSON) }

// Resource is any kind of record, such as Deposit.
type Resource interface{ ~struct{ object } }

func asResource[T Resource](o object) *T {
	value := T(struct{ object }{o})
	return &value
}

// optional reads a member that may be absent or null. In both cases it returns the zero value of T.
func optional[T any](o *object, name string, read func(wire.Value) (T, error)) (T, error) {
	return Optional(o.service, name, o.get(name), read)
}

// Optional is optional for the value of a member of a record.
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

// required reads a member that must be present and not null.
func required[T any](o *object, name string, read func(wire.Value) (T, error)) (T, error) {
	return Required(o.service, name, o.get(name), read)
}

// Required is required for the value of a member of a record.
func Required[T any](service Service, name string, value wire.Value, read func(wire.Value) (T, error)) (got T, err error) {
	if err := CheckPresent(value); err != nil {
		return got, Broken(service, name, err)
	}
	return Optional(service, name, value, read)
}
