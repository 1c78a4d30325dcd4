package upstream

import "pixgraph/upstream/wire"

// object is a JSON object of a service: its members' values stay bytes until something reads them, and only what is read
// is checked. So a record that breaks its contract in one field is still good for every query that does not ask for that
// field.
type object struct {
	service Service
	value   wire.Value // an object, or none
}

// asObject takes a value that must be an object.
func asObject(service Service, value wire.Value) (object, error) {
	if value.Kind() != '{' {
		return object{}, wire.ErrWrongKind
	}
	return object{service, value}, nil
}

// get returns a member, no value where it is absent.
func (o *object) get(name string) wire.Value {
	if !o.value.Exists() {
		return o.value
	}
	return o.value.Get(name)
}

// Resource is any type of this package that is a JSON object with accessors, such as Deposit.
type Resource interface{ ~struct{ object } }

func asResource[T Resource](o object) *T {
	value := T(struct{ object }{o})
	return &value
}

func (o *object) broken(name string, err error) error { return Broken(o.service, name, err) }

// optional reads a member that may be absent or null: both give T's zero value.
func optional[T any](o *object, name string, read func(wire.Value) (T, error)) (T, error) {
	var none T
	value := o.get(name)
	if !value.Exists() || value.IsNull() {
		return none, nil
	}
	got, err := read(value)
	if err != nil {
		return none, o.broken(name, err)
	}
	return got, nil
}

// required reads a member that the spec says is always present and not null.
func required[T any](o *object, name string, read func(wire.Value) (T, error)) (T, error) {
	if err := CheckPresent(o.get(name)); err != nil {
		var none T
		return none, o.broken(name, err)
	}
	return optional(o, name, read)
}
