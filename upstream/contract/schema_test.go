package contract_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// TestSchema: the GraphQL schema has a field for each property, a value for each value of an enumeration, and a filter
// for each parameter of a list. A field is non-null if its property is always present and never null.
func TestSchema(t *testing.T) {
	names, err := filepath.Glob("../../graph/*.graphqls")
	if err != nil || len(names) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	var sources []*ast.Source
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		sources = append(sources, &ast.Source{Name: name, Input: string(text)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	must(t, err)
	doc := open(t)
	s := schemas{schema, map[string]bool{}}
	for _, e := range doc.endpoints(t) {
		s.compare(t, &openapi3.SchemaRef{Ref: e.record(), Value: doc.Components.Schemas[e.record()].Value}, e.record())
		if e.lookup() {
			continue
		}
		var parameters, fields []string
		for _, parameter := range e.Parameters {
			parameters = append(parameters, parameter.Value.Name)
		}
		for _, field := range schema.Types[e.record()+"Filter"].Fields {
			fields = append(fields, field.Name)
		}
		if slices.Sort(fields); !slices.Equal(fields, slices.Sorted(slices.Values(parameters))) {
			t.Errorf("%sFilter has the fields %v, the document the parameters %v", e.record(), fields, parameters)
		}
	}
}

// schemas compares types of the GraphQL schema with schemas of the document.
type schemas struct {
	*ast.Schema
	compared map[string]bool
}

// compare compares the type with a name, and then the types of its fields.
func (s schemas) compare(t *testing.T, ref *openapi3.SchemaRef, name string) {
	t.Helper()
	if s.compared[name] {
		return
	}
	s.compared[name] = true
	typ := s.Types[name]
	if typ == nil {
		t.Fatalf("the schema has no type %s", name)
	}
	if len(ref.Value.Enum) > 0 {
		want := map[string]bool{"UNKNOWN": true}
		for _, value := range ref.Value.Enum {
			want[fmt.Sprint(value)] = true
		}
		got := map[string]bool{}
		for _, value := range typ.EnumValues {
			got[value.Name] = true
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s has the values %v, want %v", name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		return
	}
	for property, inner := range ref.Value.Properties {
		field := typ.Fields.ForName(property)
		if field == nil {
			t.Errorf("%s has no field %s", name, property)
			continue
		}
		nullable := formsOf(inner.Value)["null"] || !slices.Contains(ref.Value.Required, property)
		if field.Type.NonNull == nullable {
			t.Errorf("%s.%s is non-null: %v, in the document null or absent: %v", name, property, field.Type.NonNull, nullable)
		}
		if inner.Value.Items != nil {
			inner = inner.Value.Items
		}
		if text := alternativeRef(inner, openapi3.TypeString); text != nil && len(text.Value.Enum) > 0 {
			if typ.Fields.ForName(property+"Raw") == nil {
				t.Errorf("%s has no field %sRaw", name, property)
			}
			s.compare(t, text, field.Type.Name())
		}
		if object := alternativeRef(inner, openapi3.TypeObject); object != nil && len(object.Value.Properties) > 0 {
			s.compare(t, object, field.Type.Name())
		}
	}
}
