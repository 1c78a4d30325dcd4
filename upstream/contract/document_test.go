package contract_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pixgraph/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const documentPath = "../../docs/upstream-api.yaml"

// document is the OpenAPI document. kin-openapi finds operations and decodes parameters, jsonschema validates values.
// kin-openapi can use jsonschema too, but compiles the schema for each value, and falls back to another validator.
type document struct {
	*openapi3.T
	router   routers.Router
	compiler *jsonschema.Compiler

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // by JSON pointer; filled by the tests
}

var openOnce = sync.OnceValues(func() (*document, error) {
	text, err := os.ReadFile(documentPath)
	if err != nil {
		return nil, err
	}
	spec, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(spec)
	if err != nil {
		return nil, err
	}
	plain, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for name, valid := range formats {
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: asserting(valid)})
	}
	if err := compiler.AddResource(documentURL, resource); err != nil {
		return nil, err
	}
	return &document{T: spec, router: router, compiler: compiler, compiled: map[string]*jsonschema.Schema{}}, nil
})

// documentURL identifies the document to the schema compiler. Nothing is fetched from it.
const documentURL = "https://contract.example.com/upstream-api.json"

func open(t *testing.T) *document {
	t.Helper()
	doc, err := openOnce()
	must(t, err)
	return doc
}

// schema compiles the schema at a JSON pointer, such as /components/schemas/Deposit.
func (d *document) schema(t *testing.T, pointer string) *jsonschema.Schema {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if schema := d.compiled[pointer]; schema != nil {
		return schema
	}
	schema, err := d.compiler.Compile(documentURL + "#" + pointer)
	must(t, err)
	d.compiled[pointer] = schema
	return schema
}

// component returns the pointer of a schema by its name.
func component(name string) string { return "/components/schemas/" + name }

// validateJSON validates JSON against the schema at a pointer.
func (d *document) validateJSON(t *testing.T, pointer string, raw []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return d.schema(t, pointer).Validate(value)
}

// endpoint is one operation of the document.
type endpoint struct {
	path string
	*openapi3.Operation
	server string // its URL, without a trailing slash
}

// pointer returns the JSON pointer of the operation in the document, as a URI fragment.
func (e endpoint) pointer() string {
	return "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(e.path) + "/get"
}

// answer returns the schema of the successful responses.
func (e endpoint) answer() *openapi3.SchemaRef {
	return e.Responses.Value("200").Value.Content["application/json"].Schema
}

// lookup reports whether the operation reads one record by its id.
func (e endpoint) lookup() bool { return strings.HasSuffix(e.path, "{id}") }

// record returns the name of the schema of the records.
func (e endpoint) record() string {
	if e.lookup() {
		return componentOf(e.answer())
	}
	return componentOf(e.answer().Value.Properties["data"].Value.Items)
}

// endpoints returns the operations of the document in the order of their paths. All must be GET.
func (d *document) endpoints(t *testing.T) []endpoint {
	t.Helper()
	var list []endpoint
	for _, path := range slices.Sorted(maps.Keys(d.Paths.Map())) {
		item := d.Paths.Value(path)
		servers := item.Servers
		if len(servers) == 0 {
			servers = d.Servers
		}
		for method, operation := range item.Operations() {
			if method != http.MethodGet || len(servers) != 1 {
				t.Errorf("%s %s is not a GET of one server", method, path)
			}
			list = append(list, endpoint{path, operation, strings.TrimSuffix(servers[0].URL, "/")})
		}
	}
	return list
}

// TestDocument: the document is a valid OpenAPI document by the strictest checks of the library.
func TestDocument(t *testing.T) {
	doc := open(t)
	if err := doc.Validate(t.Context(), openapi3.EnableSchemaFormatValidation(), openapi3.EnableSchemaPatternValidation()); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("openapi is %s", doc.OpenAPI)
	}
	for _, e := range doc.endpoints(t) {
		if e.Security != nil || e.RequestBody != nil || e.OperationID == "" {
			t.Errorf("%s has its own security, a body, or no operation id", e.path)
		}
	}
}

// TestExamples: each example is valid by its schema, and every component is used.
func TestExamples(t *testing.T) {
	doc := open(t)
	text, err := os.ReadFile(documentPath)
	must(t, err)
	for name, schema := range doc.Components.Schemas {
		for i, example := range schema.Value.Examples {
			raw, err := json.Marshal(example)
			must(t, err)
			if err := doc.validateJSON(t, component(name), raw); err != nil {
				t.Errorf("example %d of %s: %v", i, name, err)
			}
		}
	}
	for kind, names := range map[string][]string{
		"schemas":    slices.Collect(maps.Keys(doc.Components.Schemas)),
		"parameters": slices.Collect(maps.Keys(doc.Components.Parameters)),
		"responses":  slices.Collect(maps.Keys(doc.Components.Responses)),
	} {
		for _, name := range names {
			if !bytes.Contains(text, []byte("'#/components/"+kind+"/"+name+"'")) {
				t.Errorf("%s is not used", name)
			}
		}
	}
}

// input returns the input of kin-openapi for a request. It fails if the document has no such operation.
func (d *document) input(r *http.Request, authenticate openapi3filter.AuthenticationFunc) (*openapi3filter.RequestValidationInput, error) {
	route, parameters, err := d.router.FindRoute(r)
	if err != nil {
		return nil, err
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: authenticate, IncludeResponseStatus: true, ExcludeResponseBody: true,
			SchemaValidationOptions: formatOptions(),
		},
	}, nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
