package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

const notObject = "string integer negative fraction true false array-empty array-integer array-null array-string array-object"

// lenient are the values that the gateway accepts and the document rejects, by property. The test fails for rows that
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

// TestFields sets each property of the records to a value of every JSON type. A query that selects it accepts or
// rejects the value as the document does, and returns it unchanged.
func TestFields(t *testing.T) {
	t.Parallel() // one of three tests that take seconds
	doc := open(t)
	w := walker{document: doc, reader: newReader(t), walked: map[string]bool{}, used: map[string]bool{}}
	for _, e := range doc.endpoints(t) {
		at := position{root: e.record(), record: sample(t, doc.Components.Schemas[e.record()].Value)}
		w.walk(t, at, e.record())
	}
	for name, ref := range doc.Components.Schemas {
		written := slices.Contains([]string{"DocumentObject", "ContactObject"}, name) // see TestTwoForms
		page := strings.HasSuffix(name, "Page")                                       // see TestPages
		if len(ref.Value.Properties) > 0 && !page && !written && !w.walked[name] {
			t.Errorf("no record has a %s", name)
		}
	}
	for property, values := range lenient {
		for value := range strings.FieldsSeq(values) {
			if !w.used[property+" "+value] {
				t.Errorf("lenient has %s %s, but the gateway rejects it, or the document accepts it", property, value)
			}
		}
	}
}

// position is an object within a record: the members that lead to it. Of a list it is the first element.
type position struct {
	root   string
	record any
	path   []string
}

// walker compares what queries read with schemas of the document.
type walker struct {
	*document
	reader
	walked map[string]bool // the schemas
	used   map[string]bool // rows of lenient that are needed
}

// walk compares the properties of the object at a position, and then the objects within it, with their schemas.
func (w *walker) walk(t *testing.T, at position, name string) {
	t.Helper()
	if w.walked[name] {
		return
	}
	w.walked[name] = true
	for property, ref := range w.Components.Schemas[name].Value.Properties {
		w.compare(t, at, name, property)
		if ref.Value.Items != nil {
			ref = ref.Value.Items
		}
		object := alternativeRef(ref, openapi3.TypeObject)
		if object != nil && len(object.Value.Properties) > 0 && alternativeRef(ref, openapi3.TypeString) == nil {
			w.walk(t, position{at.root, at.record, append(slices.Clone(at.path), property)}, componentOf(object))
		}
	}
}

// compare sets a property to values of every JSON type, and selects it.
func (w *walker) compare(t *testing.T, at position, name, property string) {
	t.Helper()
	schema := w.Components.Schemas[name].Value
	for variant, value := range variants(t, schema.Properties[property].Value) {
		raw, err := json.Marshal(replaced(sample(t, schema), nil, property, value))
		must(t, err)
		rejected := w.validateJSON(t, component(name), raw) != nil
		record, err := json.Marshal(replaced(at.record, at.path, property, value))
		must(t, err)
		what := name + "." + property + " " + variant
		got, errs := w.read(t, at.root, string(record), append(slices.Clone(at.path), property)...)
		switch {
		case rejected == (errs != nil):
		case slices.Contains(strings.Fields(lenient[name+"."+property]), variant) && errs == nil:
			w.used[what] = true
		default:
			t.Errorf("%s: the query returns %v, the document rejects it: %t", what, errs, rejected)
		}
		for _, err := range errs {
			var failed *upstream.Error
			if !errors.As(err, &failed) || failed.Kind != upstream.KindInvalidResponse || failed.Service != upstream.Core ||
				failed.Op != "read "+property && failed.Op != "read "+property+" element" {
				t.Errorf("%s: error %#v, want an invalid response of core in %s", what, err, property)
			}
		}
		_, removed := value.(absent)
		object, isObject := got.(map[string]any)
		switch list, isList := got.([]any); {
		case errs != nil || isObject && object["__typename"] != nil:
		case removed || value == nil:
			if got != nil {
				t.Errorf("%s: got %v, want null", what, got)
			}
		case isList && len(list) > 0 && reflect.TypeOf(list[0]) == reflect.TypeFor[map[string]any]():
		case !reflect.DeepEqual(got, decoded(t, value)):
			t.Errorf("%s: got %v, want %v", what, got, value)
		}
	}
}

// decoded returns a value as it is read from its JSON.
func decoded(t *testing.T, value any) (read any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(raw, &read)
	}
	must(t, err)
	return read
}

// reader reads values of records by queries, which it executes without a call.
type reader struct {
	schema    *ast.Schema
	projector *projection.Projector
	parsed    map[string]*ast.QueryDocument
}

// listed is a list with one record.
type listed struct{ upstream.Raw }

// Field implements projection.Object.
func (l listed) Field(string) (any, error) { return nodes{l.Raw}, nil }

type nodes struct{ raw upstream.Raw }

// Len implements projection.Records.
func (nodes) Len() int { return 1 }

// Raw implements projection.Records.
func (n nodes) Raw(int) (upstream.Raw, error) { return n.raw, nil }

// recordKey is the context key of the record that a query finds.
type recordKey struct{}

func newReader(t *testing.T) reader {
	t.Helper()
	schema := generated.Schema("")
	declared, err := calls.Read(schema)
	must(t, err)
	projector := projection.New(projection.Config{
		Schema: schema, Calls: declared, Made: generated.Made, Documents: documents.New(0),
		Resolve: func(ctx context.Context, field graphql.CollectedField) projection.Found {
			raw := ctx.Value(recordKey{}).(upstream.Raw)
			if generated.Made[field.Definition.Type.Name()] {
				return projection.Made(listed{raw})
			}
			found, _ := projection.One(upstream.ResourceOf[upstream.Deposit](raw), nil) // the query says of which kind it is
			return found
		},
	})
	return reader{schema, projector, map[string]*ast.QueryDocument{}}
}

// queries find a record, by its type.
var queries = map[string]string{
	"Deposit": "{ found: deposits { nodes %s } }", "Withdrawal": "{ found: withdrawals { nodes %s } }",
	"Transaction": `{ found: transaction(id: "1") %s }`, "Notification": `{ found: notification(id: "1") %s }`,
}

// read selects the member at a path of a record of the core API, and returns its value and the errors. Of a list on the
// way it is the first element.
func (r reader) read(t *testing.T, record, raw string, path ...string) (got any, errs gqlerror.List) {
	t.Helper()
	typ, selection := r.schema.Types[record], "%s"
	for _, name := range path {
		typ = r.schema.Types[typ.Fields.ForName(name).Type.Name()]
		selection = fmt.Sprintf(selection, "{ "+name+" %s }")
	}
	if selection = fmt.Sprintf(selection, ""); typ.IsCompositeType() {
		selection = strings.Replace(selection, " }", "{ __typename } }", 1)
	}
	text := fmt.Sprintf(queries[record], selection)
	if r.parsed[text] == nil {
		document, err := gqlparser.LoadQueryWithRules(r.schema, text, rules.NewDefaultRules())
		if err != nil {
			t.Fatal(text, err)
		}
		r.parsed[text] = document
	}
	value, err := wire.Index([]byte(raw))
	must(t, err)
	operation := &graphql.OperationContext{RawQuery: text, Doc: r.parsed[text], Operation: r.parsed[text].Operations[0]}
	ctx := context.WithValue(graphql.WithOperationContext(t.Context(), operation), recordKey{}, upstream.Raw{Service: upstream.Core, Value: value})
	ctx = graphql.WithResponseContext(ctx, graphql.DefaultErrorPresenter, graphql.DefaultRecover)
	response, _ := r.projector.Execute(ctx, operation, nil, nil, nil, nil)
	must(t, json.Unmarshal(response.Data, &got))
	for _, name := range append([]string{"found", "nodes"}, path...) {
		if list, isList := got.([]any); isList {
			got = list[0]
		}
		object, _ := got.(map[string]any)
		if next, ok := object[name]; ok || name != "nodes" {
			got = next
		}
	}
	return got, graphql.GetErrors(ctx)
}

// TestTwoForms: a document and a contact are texts or objects.
func TestTwoForms(t *testing.T) {
	r := newReader(t)
	for _, tt := range []struct {
		name, path, raw string
		want            any
		broken          string // the member that is
	}{
		{name: "text", path: "document value", raw: `"***.456.789-**"`, want: "***.456.789-**"},
		{name: "type of a text", path: "document type", raw: `"1"`},
		{name: "empty text", path: "document value", raw: `""`, want: ""},
		{name: "object", path: "document value", raw: `{"value":"1","type":"RG"}`, want: "1"},
		{name: "unknown type", path: "document type", raw: `{"value":"1","type":"RG"}`, want: "RG"},
		{name: "no type", path: "document type", raw: `{"value":"1"}`},
		{name: "null type", path: "document type", raw: `{"value":"1","type":null}`},
		{name: "no value", path: "document value", raw: `{"type":"CPF"}`, broken: "value"},
		{name: "null value", path: "document value", raw: `{"type":"CPF","value":null}`, broken: "value"},
		{name: "number", path: "document value", raw: `{"type":"CPF","value":7}`, broken: "value"},
		{name: "type without a value", path: "document type", raw: `{"type":"CPF"}`, want: "CPF"},
		{name: "type that is no text", path: "document type", raw: `{"value":"1","type":7}`, broken: "type"},
		{name: "value next to it", path: "document value", raw: `{"value":"1","type":7}`, want: "1"},
		{name: "not Unicode", path: "document value", raw: `"\ud800"`, broken: "document"},
		{name: "text", path: "email value", raw: `"maria@correio.example"`, want: "maria@correio.example"},
		{name: "raw text", path: "landline raw", raw: `"\u006d@x"`, want: "m@x"},
		{name: "value of an object", path: "mobilePhone value", raw: `{"value":"+551133334444"}`, want: "+551133334444"},
		{name: "object without one", path: "email value", raw: `{}`},
		{name: "raw object", path: "email raw", raw: `{"a":[1]}`, want: map[string]any{"a": []any{1.}}},
		{name: "not Unicode", path: "email value", raw: `"\ud800"`, broken: "email"},
	} {
		for _, party := range []string{"customer", "seller"} {
			path := append([]string{party}, strings.Fields(tt.path)...)
			if party == "seller" && path[1] != "document" {
				continue
			}
			got, errs := r.read(t, "Transaction", fmt.Sprintf(`{"%s":{"%s":%s}}`, party, path[1], tt.raw), path...)
			if tt.broken != "" {
				var failed *upstream.Error
				if len(errs) != 1 || !errors.As(errs[0], &failed) || failed.Op != "read "+tt.broken {
					t.Errorf("%s %s: %v", party, tt.name, errs)
				}
			} else if errs != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s %s: got %v, %v; want %v", party, tt.name, got, errs, tt.want)
			}
		}
	}
}

// TestInvalidElements: an invalid element of a list does not affect the other elements.
func TestInvalidElements(t *testing.T) {
	r := newReader(t)
	for path, list := range map[string]string{"Notification tags": `["a",null,"\ud800",1,"b"]`, "Transaction items": `[{},null,7,[],{}]`} {
		record, name, _ := strings.Cut(path, " ")
		got, errs := r.read(t, record, `{"`+name+`":`+list+`}`, name)
		elements, _ := got.([]any)
		if len(elements) != 5 || elements[0] == nil || elements[4] == nil || !slices.Equal(elements[1:4], []any{nil, nil, nil}) || len(errs) != 3 {
			t.Fatalf("%s: %v, %v", path, got, errs)
		}
		for i, err := range errs {
			var failed *upstream.Error
			if !errors.As(err, &failed) || failed.Op != "read "+name+" element" || err.Path[len(err.Path)-1] != ast.PathIndex(i+1) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
