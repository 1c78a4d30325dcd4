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

func (o *object) broken(name string, err error) error { return Broken(o.service, name, err) }

// optional reads a member that may be absent or null. In both cases it returns the zero value of T.
func optional[T any](o *object, name string, read func(wire.Value) (T, error)) (T, error) {
	var zero T
	value := o.get(name)
	if !value.Exists() || value.IsNull() {
		return zero, nil
	}
	got, err := read(value)
	if err != nil {
		return zero, o.broken(name, err)
	}
	return got, nil
}

// required reads a member that must be present and not null.
func required[T any](o *object, name string, read func(wire.Value) (T, error)) (T, error) {
	if err := CheckPresent(o.get(name)); err != nil {
		var zero T
		return zero, o.broken(name, err)
	}
	return optional(o, name, read)
}
