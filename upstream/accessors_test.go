package upstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// fieldsOf splits a JSON object into its members.
func fieldsOf(t *testing.T, raw []byte) map[string]json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// sampleFrom returns the sample of a type from testdata.
func (r recordType) sampleFrom(t *testing.T, file string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + r.sample + "." + file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range r.path {
		if i, err := strconv.Atoi(step); err == nil {
			var list []json.RawMessage
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			raw = list[i]
			continue
		}
		raw = fieldsOf(t, raw)[step]
	}
	return raw
}

// call reads one field of an object with the members.
func (r recordType) call(t *testing.T, f field, members map[string]json.RawMessage) (any, error) {
	t.Helper()
	raw := []byte("{ ")
	for name, value := range members {
		raw = fmt.Appendf(raw, "%q : %s ,\n", name, value)
	}
	record, err := r.decode(append(raw, `"unknown": [{}] }`...))
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	results := reflect.ValueOf(record).MethodByName(f.accessor).Call(nil)
	err, _ = results[1].Interface().(error)
	if err != nil && !results[0].IsZero() {
		t.Errorf("%s returned a value and the error %v", f.accessor, err)
	}
	if results[0].IsZero() && results[0].Kind() != reflect.Bool && results[0].Kind() != reflect.Int64 {
		return nil, err
	}
	return results[0].Interface(), err
}

// with returns a copy of the members in which one has another value; "" removes it.
func with(members map[string]json.RawMessage, name, value string) map[string]json.RawMessage {
	changed := maps.Clone(members)
	if changed[name] = json.RawMessage(value); value == "" {
		delete(changed, name)
	}
	return changed
}

// wantInvalid checks that err is the error for a member that breaks the contract.
func wantInvalid(t *testing.T, err error, member string) {
	t.Helper()
	var failed *upstream.Error
	switch {
	case !errors.As(err, &failed):
		t.Errorf("error = %v, want an *upstream.Error", err)
	case failed.Kind != upstream.KindInvalidResponse, failed.Op != "read "+member, failed.Service != upstream.Core:
		t.Errorf("error = %#v, want an invalid response of core in %s", failed, member)
	}
}

func TestAccessors(t *testing.T) {
	for _, r := range recordTypes() {
		full := fieldsOf(t, r.sampleFrom(t, "full"))
		for _, f := range r.fields(t) {
			t.Run(r.typ.Name()+"/"+f.accessor, func(t *testing.T) {
				raw, ok := full[f.member]
				if !ok {
					t.Fatalf("the full sample has no %s", f.member)
				}
				got, err := r.call(t, f, full)
				if err != nil {
					t.Fatal(err)
				}
				checkValue(t, got, f.kind, raw)
				for name, value := range map[string]string{"absent": "", "null": "null"} {
					got, err := r.call(t, f, with(full, f.member, value))
					if f.presence == "Y" {
						wantInvalid(t, err, f.member)
					} else if got != nil || err != nil {
						t.Errorf("%s: got %v, %v; want nil, nil", name, got, err)
					}
				}
				checkKinds(t, r, f, full)
			})
		}
	}
}

// checkValue compares the value of an accessor with the bytes of the member.
func checkValue(t *testing.T, got any, kind string, raw json.RawMessage) {
	t.Helper()
	var text string
	switch value := got.(type) {
	case upstream.Text:
		text = string(value)
	case upstream.Decimal:
		text = string(value)
	case upstream.JSON:
		text = string(value)
	case *upstream.Cents:
		text = fmt.Sprint(*value)
	case upstream.Cents, int32, bool:
		text = fmt.Sprint(value)
	default:
		switch v := reflect.ValueOf(got); v.Kind() {
		case reflect.String:
			text = strconv.Quote(v.String())
		case reflect.Slice:
			var list []json.RawMessage
			if err := json.Unmarshal(raw, &list); err != nil || v.Len() != len(list) {
				t.Errorf("got %d elements, want %d (%v)", v.Len(), len(list), err)
			}
			for i := range v.Len() {
				if e := v.Index(i); e.Field(0).IsNil() || !e.Field(1).IsNil() {
					t.Errorf("element %d = %v", i, e)
				}
			}
			return
		case reflect.Pointer:
			if !slices.Contains([]string{"part", "contact", "document"}, kind) {
				t.Errorf("got %T for a %s", got, kind)
			}
			return
		}
	}
	if text != string(raw) {
		t.Errorf("got %s, want %s", text, raw)
	}
}

// checkKinds reads the field with a value of each JSON type.
func checkKinds(t *testing.T, r recordType, f field, members map[string]json.RawMessage) {
	t.Helper()
	values := map[string]string{"string": `"x"`, "number": "7", "true": "true", "false": "false", "object": "{}", "array": "[]"}
	accepted := map[string]string{
		"text": "string", "enum": "string", "cents": "number", "decimal": "number", "int32": "number", "bool": "true false",
		"json": "string number true false object array", "part": "object", "parts": "array", "texts": "array",
		"contact": "string object", "document": "string object",
	}[f.kind]
	if accepted == "" {
		t.Fatalf("unknown kind %q", f.kind)
	}
	for name, value := range values {
		got, err := r.call(t, f, with(members, f.member, value))
		if !slices.Contains(strings.Fields(accepted), name) {
			wantInvalid(t, err, f.member)
		} else if err != nil || got == nil {
			t.Errorf("%s: got %v, %v; want a value", value, got, err)
		}
	}
}

// TestSamples: the full sample has every field of the tables, the minimal one the fields that are always present.
func TestSamples(t *testing.T) {
	for _, r := range recordTypes() {
		if len(r.path) > 0 {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			full, minimal := fieldsOf(t, r.sampleFrom(t, "full")), fieldsOf(t, r.sampleFrom(t, "minimal"))
			all, required := map[string]bool{}, map[string]bool{}
			for _, f := range r.fields(t) {
				all[f.member] = true
				if f.presence != "N" {
					required[f.member] = true
				}
				_, err := r.call(t, f, minimal)
				if err != nil {
					t.Errorf("%s of the minimal sample: %v", f.accessor, err)
				}
			}
			if got, want := slices.Sorted(maps.Keys(full)), slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
				t.Errorf("full sample has %v, want %v", got, want)
			}
			if got, want := slices.Sorted(maps.Keys(minimal)), slices.Sorted(maps.Keys(required)); !slices.Equal(got, want) {
				t.Errorf("minimal sample has %v, want %v", got, want)
			}
		})
	}
}

// TestTablesAreComplete fails for an accessor without a row in the tables, and for a type without a table. Derived fields have
// tests of their own.
func TestTablesAreComplete(t *testing.T) {
	tables := map[reflect.Type][]string{
		reflect.TypeFor[upstream.Document](): {"Type", "Value"}, // tested in customer_test.go, as the next one
		reflect.TypeFor[upstream.Contact]():  {"Raw", "Value"},
	}
	for _, r := range recordTypes() {
		for _, f := range r.fields(t) {
			tables[r.typ] = append(tables[r.typ], f.accessor)
		}
	}
	reached := map[reflect.Type]bool{}
	for _, r := range recordTypes() {
		reach(r.typ, reached)
	}
	for typ := range reached {
		var methods []string
		for i := range reflect.PointerTo(typ).NumMethod() {
			if name := reflect.PointerTo(typ).Method(i).Name; !upstream.IsDerived(typ.Name(), name) {
				methods = append(methods, name)
			}
		}
		slices.Sort(tables[typ])
		if !slices.Equal(methods, tables[typ]) {
			t.Errorf("%s has the accessors %v, its table %v", typ, methods, tables[typ])
		}
	}
	if len(reached) != len(tables) {
		t.Errorf("%d types are reachable, %d have a table", len(reached), len(tables))
	}
}

// reach adds typ, and each struct that an accessor of it returns.
func reach(typ reflect.Type, reached map[reflect.Type]bool) {
	if reached[typ] {
		return
	}
	reached[typ] = true
	for i := range reflect.PointerTo(typ).NumMethod() {
		method := reflect.PointerTo(typ).Method(i)
		if upstream.IsDerived(typ.Name(), method.Name) {
			continue
		}
		result := method.Type.Out(0)
		if result.Kind() == reflect.Slice && result.Elem().Kind() == reflect.Struct {
			result = result.Elem().Field(0).Type // of an Element
		}
		if result.Kind() == reflect.Pointer && result.Elem().Kind() == reflect.Struct {
			reach(result.Elem(), reached)
		}
	}
}
