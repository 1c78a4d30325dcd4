package contract_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"pixgraph/upstream"
)

const notObject = "string integer negative fraction true false array-empty array-integer array-null array-string array-object"

// lenient are the values that the client accepts and the document rejects, by property. The test fails for rows that
// are no longer needed.
var lenient = map[string]string{
	// Free-form JSON of any type is passed through unchanged.
	"Notification.body":    strings.TrimPrefix(notObject, "string "),
	"Execution.headers":    notObject,
	"Transaction.metadata": notObject,
	// A required property that may be null is also accepted if it is absent.
	"Notification.error": "absent",
	"ResponseVo.body":    "absent",
	// A property that is required depending on another property is accepted if it is absent.
	"Deposit.pixResponse":     "absent null",
	"Transaction.pixResponse": "absent null",
}

// TestAccessors: the accessors of the records and the properties of the document are the same. The test finds the
// property of an accessor by leaving out one property after the other. Then it sets each property to a value of every
// JSON type, which the accessors must accept or reject as the document does.
func TestAccessors(t *testing.T) {
	t.Parallel() // one of three tests that take seconds
	doc := open(t)
	w := walker{document: doc, walked: map[reflect.Type]string{}, used: map[string]bool{}}
	for _, e := range doc.endpoints(t) {
		root := rootOf(t, e)
		w.walk(t, position{root: root, record: sample(t, doc.Components.Schemas[root.schema].Value)}, root.schema)
	}
	for name, ref := range doc.Components.Schemas {
		page := strings.HasSuffix(name, "Page") // see TestPages
		if len(ref.Value.Properties) > 0 && !page && !slices.Contains(w.schemas, name) {
			t.Errorf("no accessor returns a %s", name)
		}
	}
	for property, values := range lenient {
		for value := range strings.FieldsSeq(values) {
			if !w.used[property+" "+value] {
				t.Errorf("lenient has %s %s, but the client rejects it, or the document accepts it", property, value)
			}
		}
	}
}

// walker compares types of the client with schemas of the document.
type walker struct {
	*document
	walked  map[reflect.Type]string // the schema of each type
	schemas []string
	used    map[string]bool // rows of lenient that are needed
}

// walk compares the object at a position, and then the objects within it, with their schemas.
func (w *walker) walk(t *testing.T, at position, name string) {
	t.Helper()
	schema, whole := w.Components.Schemas[name].Value, at.with(t, "", absent{}) // no property is left out
	if err := w.validateJSON(t, component(at.root.schema), whole); err != nil {
		t.Fatalf("the sample of %s: %v", at.root.schema, err)
	}
	typ := at.object(t, whole).Type()
	if other, ok := w.walked[typ]; ok {
		if other != name {
			t.Errorf("%s reads %s and %s", typ, other, name)
		}
		return
	}
	w.walked[typ], w.schemas = name, append(w.schemas, name)
	readers := w.readers(t, at, name, typ, whole)
	for property, ref := range schema.Properties {
		if len(readers[property]) == 0 {
			t.Errorf("%s.%s has no accessor", name, property)
			continue
		}
		w.compare(t, at, name, property, readers[property])
		compareEnum(t, name+"."+property, ref, typ, readers[property])
		inner := ref
		if ref.Value.Items != nil {
			inner = ref.Value.Items
		}
		if object := alternativeRef(inner, openapi3.TypeObject); object != nil && len(object.Value.Properties) > 0 {
			within := at
			within.path = append(slices.Clone(at.path), step{property, readers[property][0]})
			w.walk(t, within, componentOf(object))
		}
	}
}

// readers returns the accessors that read each property: those whose result changes if it is left out.
func (w *walker) readers(t *testing.T, at position, name string, typ reflect.Type, whole []byte) map[string][]string {
	t.Helper()
	readers := map[string][]string{}
	read := map[string]int{} // properties by accessor
	full := at.object(t, whole)
	for property := range w.Components.Schemas[name].Value.Properties {
		without := at.object(t, at.with(t, property, absent{}))
		for method := range typ.Methods() {
			if !isAccessor(method) {
				continue
			}
			if resultText(without.Method(method.Index).Call(nil)) != resultText(full.Method(method.Index).Call(nil)) {
				readers[property] = append(readers[property], method.Name)
				read[method.Name]++
			}
		}
	}
	for method := range typ.Methods() {
		if !isAccessor(method) || read[method.Name] != 1 {
			t.Errorf("%s.%s reads %d properties of %s, want one", typ, method.Name, read[method.Name], name)
		}
	}
	return readers
}

func isAccessor(method reflect.Method) bool {
	return method.Type.NumIn() == 1 && method.Type.NumOut() == 2 && method.Type.Out(1) == reflect.TypeFor[error]()
}

// compare sets a property to values of every JSON type.
func (w *walker) compare(t *testing.T, at position, name, property string, readers []string) {
	t.Helper()
	schema := w.Components.Schemas[name].Value
	whole := sample(t, schema)
	for variant, value := range variants(t, schema.Properties[property].Value) {
		raw, err := json.Marshal(replaced(whole, nil, property, value))
		must(t, err)
		byDocument := w.validateJSON(t, component(name), raw)
		object := at.object(t, at.with(t, property, value))
		for _, reader := range readers {
			results := object.MethodByName(reader).Call(nil)
			byClient := errorOf(results)
			what := name + "." + property + " " + variant
			switch allowed := slices.Contains(strings.Fields(lenient[name+"."+property]), variant); {
			case (byDocument == nil) == (byClient == nil):
			case allowed && byClient == nil:
				w.used[what] = true
			default:
				t.Errorf("%s: %s returns %v, the document %v", what, reader, byClient, byDocument)
			}
			if byClient != nil {
				checkError(t, what, results, property)
			} else {
				checkValue(t, what, results[0], value)
			}
		}
	}
}

// checkError checks the error of an accessor for a property that breaks the contract, or of an element of it.
func checkError(t *testing.T, what string, results []reflect.Value, property string) {
	t.Helper()
	var failed *upstream.Error
	err := errorOf(results)
	if !errors.As(err, &failed) || failed.Kind != upstream.KindInvalidResponse || failed.Service != upstream.Core ||
		failed.Op != "read "+property && failed.Op != "read "+property+" element" {
		t.Errorf("%s: error %#v, want an invalid response of core in %s", what, err, property)
	}
	if !results[1].IsNil() && !results[0].IsZero() {
		t.Errorf("%s: a value and an error", what)
	}
}

// checkValue compares the result of an accessor with the value that the API sent.
func checkValue(t *testing.T, what string, got reflect.Value, sent any) {
	t.Helper()
	if _, ok := sent.(absent); ok || sent == nil {
		if !got.IsZero() {
			t.Errorf("%s: got %v, want nothing", what, got)
		}
		return
	}
	raw, err := json.Marshal(sent)
	must(t, err)
	var text string
	switch value := got.Interface().(type) {
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
		if list, ok := sent.([]any); ok && got.Kind() == reflect.Slice && got.Len() != len(list) {
			t.Errorf("%s: %d elements, want %d", what, got.Len(), len(list))
		}
		if got.Kind() == reflect.Pointer && got.IsNil() {
			t.Errorf("%s: got nothing", what)
		}
		if got.Kind() != reflect.String {
			return
		}
		if text = strconv.Quote(got.String()); got.String() == upstream.Unknown {
			return // TestEnumerations of package upstream
		}
	}
	if text != string(raw) {
		t.Errorf("%s: got %s, want %s", what, text, raw)
	}
}

// compareEnum: the accessors of a property return its enumeration, which knows the values of the document and no
// UNKNOWN.
func compareEnum(t *testing.T, what string, ref *openapi3.SchemaRef, typ reflect.Type, readers []string) {
	t.Helper()
	documented := ""
	if text := alternativeRef(ref, openapi3.TypeString); text != nil && len(text.Value.Enum) > 0 {
		documented = componentOf(text)
	}
	known := ""
	for _, reader := range readers {
		method, _ := typ.MethodByName(reader)
		result := method.Type.Out(0)
		value, ok := reflect.Zero(result).Interface().(interface{ Known() bool })
		if !ok {
			continue
		}
		known = result.Name()
		if value.Known() || reflect.ValueOf(upstream.Unknown).Convert(result).Interface().(interface{ Known() bool }).Known() {
			t.Errorf("%s: %s knows UNKNOWN, or the empty text", what, result)
		}
	}
	if documented != known {
		t.Errorf("%s: the document has the enumeration %q, the client %q", what, documented, known)
	}
}
