package contract_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/wire"
)

// root is a kind of record: the name of its schema, and the type that the client returns, such as *upstream.Deposit.
type root struct {
	schema string
	record reflect.Type
}

// open returns a record of the JSON. All records have the same underlying type.
func (r root) open(t *testing.T, value wire.Value) reflect.Value {
	t.Helper()
	record, err := upstream.ReadRecord[upstream.Deposit](upstream.Core, value)
	must(t, err)
	return reflect.ValueOf(record).Convert(r.record)
}

// rootOf returns the root of an endpoint.
func rootOf(t *testing.T, e endpoint) root {
	t.Helper()
	if !e.lookup() {
		record, _ := lister(t, e.record()).Type.Out(0).Elem().FieldByName("Records")
		decode, _ := record.Type.Elem().MethodByName("Decode")
		return root{e.record(), decode.Type.Out(0)}
	}
	get, ok := reflect.TypeFor[*client.Session]().MethodByName(e.record())
	if !ok {
		t.Fatalf("the client gets no %s", e.record())
	}
	return root{e.record(), get.Type.Out(0)}
}

// position is an object within a record.
type position struct {
	root   root
	record any
	path   []step
}

// step leads to a member, by its accessor. If the member is a list, it leads to the first element.
type step struct {
	member, accessor string
}

// with returns the JSON of the record, with another value for a member of the object at the position.
func (p position) with(t *testing.T, member string, value any) []byte {
	t.Helper()
	var names []string
	for _, s := range p.path {
		names = append(names, s.member)
	}
	raw, err := json.Marshal(replaced(p.record, names, member, value))
	must(t, err)
	return raw
}

// object returns the object at the position in the JSON of a record.
func (p position) object(t *testing.T, raw []byte) reflect.Value {
	t.Helper()
	value, err := wire.Index(raw)
	must(t, err)
	object := p.root.open(t, value)
	for _, s := range p.path {
		results := object.MethodByName(s.accessor).Call(nil)
		if err := errorOf(results); err != nil {
			t.Fatalf("%s: %v", s.member, err)
		}
		if object = results[0]; object.Kind() == reflect.Slice {
			object = object.Index(0).FieldByName("Value")
		}
	}
	return object
}

// errorOf returns the error of an accessor, or of an element of the list that it returned.
func errorOf(results []reflect.Value) error {
	if err, _ := results[1].Interface().(error); err != nil {
		return err
	}
	if results[0].Kind() == reflect.Slice && results[0].Type().Elem().Kind() == reflect.Struct {
		for i := range results[0].Len() {
			if err, _ := results[0].Index(i).FieldByName("Err").Interface().(error); err != nil {
				return err
			}
		}
	}
	return nil
}

// resultText returns the result of an accessor as a text, to compare two calls.
func resultText(results []reflect.Value) string {
	if err := errorOf(results); err != nil {
		return err.Error()
	}
	value := results[0]
	switch {
	case value.IsZero():
		return "nothing"
	case value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct:
		return "something"
	}
	return fmt.Sprint(value.Interface())
}
