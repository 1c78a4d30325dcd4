package upstream

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-faster/jx"
)

// object is a JSON object of a service, indexed one level deep: its members' values stay bytes until something
// reads them, and only what is read is checked. So a record that breaks its contract in one field is still
// good for every query that does not ask for that field.
type object struct {
	service Service
	members []member
}

type member struct {
	name  string
	value []byte
}

// resource is any type of this package that is an object and its accessors.
type resource interface{ ~struct{ object } }

// decode indexes raw as a T. It fails when raw is not a JSON object.
func decode[T resource](service Service, raw []byte) (*T, error) {
	members, err := index(raw)
	if err != nil {
		return nil, &Error{Op: "read a record", Service: service, Kind: KindInvalidResponse, Err: err}
	}
	return asResource[T](object{service, members}), nil
}

func asResource[T resource](o object) *T {
	value := T(struct{ object }{o})
	return &value
}

// minMember is about the least that a member takes in bytes: what is left of memory for those that take less.
const minMember = 16

// index lists the members of a JSON object. The whole of raw is checked to be JSON on the way.
func index(raw []byte) ([]member, error) {
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.Object {
		return nil, errWrongKind
	}
	members := make([]member, 0, min(len(raw)/minMember, 32))
	err := d.ObjBytes(func(d *jx.Decoder, name []byte) error {
		value, err := d.Raw()
		if err != nil {
			return err
		}
		members = append(members, member{string(name), trimSpace(value)})
		return nil
	})
	if err != nil || !atEnd(d) {
		return nil, errNotJSON
	}
	return members, nil
}

// atEnd reports whether nothing but space is left to read. The EOF of a value that is cut short is wrapped, so only
// the bare one will do.
func atEnd(d *jx.Decoder) bool { return d.Skip() == io.EOF } //nolint:errorlint // see above

// trimSpace drops the space before a value: jx.Raw begins where the previous token ended.
func trimSpace(value []byte) []byte { return bytes.TrimLeft(value, " \t\r\n") }

// get returns the value of a member, nil when it is absent. Of two members of one name the last one counts.
func (o *object) get(name string) []byte {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].name == name {
			return o.members[i].value
		}
	}
	return nil
}

// broken is the error for a member that is not what the spec says.
func (o *object) broken(name string, err error) error {
	return &Error{Op: "read " + name, Service: o.service, Kind: KindInvalidResponse, Err: fmt.Errorf("%s %w", name, err)}
}

// optional reads a member that may be absent or null: both give T's zero value.
func optional[T any](o *object, name string, read func([]byte) (T, error)) (T, error) {
	var none T
	value := o.get(name)
	if value == nil || value[0] == 'n' {
		return none, nil
	}
	got, err := read(value)
	if err != nil {
		return none, o.broken(name, err)
	}
	return got, nil
}

// required reads a member that the spec says is always present and not null.
func required[T any](o *object, name string, read func([]byte) (T, error)) (T, error) {
	var none T
	value := o.get(name)
	switch {
	case value == nil:
		return none, o.broken(name, errMissing)
	case value[0] == 'n':
		return none, o.broken(name, errNull)
	}
	return optional(o, name, read)
}
