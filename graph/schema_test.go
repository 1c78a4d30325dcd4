package graph

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/paging"
	"pixgraph/upstream"
	"pixgraph/upstream/pix"
)

// TestDeclaredBounds: the resolvers have the bounds that the schema declares.
func TestDeclaredBounds(t *testing.T) {
	schema, err := NewSchema(nil, Features{Live: true, Federation: true})
	must(t, err)
	for definition, field := range schema.Calls {
		want := 0
		switch {
		case field.Form == calls.Connection:
			want = paging.MaxSize
		case field.Form == calls.Other && field.PagesArgument == "":
			want = MaxIDs
		}
		if field.MaxRecords != want {
			t.Errorf("%s declares %d records, its resolver has the bound %d", definition.Name, field.MaxRecords, want)
		}
	}
}

// TestSchemaText: the text of the schema is that of its files, and loses nothing when it is parsed.
func TestSchemaText(t *testing.T) {
	schema, err := NewSchema(nil, Features{Live: true, Federation: true})
	must(t, err)
	names, err := filepath.Glob("*.graphqls")
	must(t, err)
	files := []*ast.Source{{Input: deferText}}
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		files = append(files, &ast.Source{Name: name, Input: string(text)})
	}
	for name, sources := range map[string][]*ast.Source{"the files": files, "the text": {{Input: schema.Text()}}} {
		loaded, err := gqlparser.LoadSchema(sources...)
		must(t, err)
		var text strings.Builder
		formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(loaded)
		if text.String() != schema.Text() {
			t.Errorf("%s: %s", name, text.String())
		}
	}
}

// TestDirectivesWrittenOut: each directive of a field has all of its arguments, because tools drop their defaults. Mesh
// then refuses its own supergraph.
func TestDirectivesWrittenOut(t *testing.T) {
	schema, err := NewSchema(nil, Features{Live: true, Federation: true})
	must(t, err)
	for _, definition := range schema.Schema().Types {
		for _, field := range definition.Fields {
			for _, directive := range field.Directives {
				for _, argument := range directive.Definition.Arguments {
					if argument.Type.NonNull && directive.Arguments.ForName(argument.Name) == nil {
						t.Errorf("%s.%s: @%s lacks %s", definition.Name, field.Name, directive.Name, argument.Name)
					}
				}
			}
		}
	}
}

// TestEntityScopes: each entity has a lookup, and needs the scopes of the field of Query with the record.
func TestEntityScopes(t *testing.T) {
	schema, err := NewSchema(nil, Features{Federation: true})
	must(t, err)
	entities := slices.Clone(schema.Schema().Types[calls.Entity].Types)
	for _, entry := range NewLookups().entries {
		entities = slices.DeleteFunc(entities, func(name string) bool { return name == entry.typeName() })
		var declared any
		if directive := schema.Schema().Query.Fields.ForName(entry.name()).Directives.ForName("oauthScopes"); directive != nil {
			declared = directive.ArgumentMap(nil)["scopes"]
		}
		var scopes any
		if notification, ok := entry.(*lookup[upstream.Notification]); ok {
			scopes = notification.scopes
		}
		if fmt.Sprint(scopes) != fmt.Sprint(declared) {
			t.Errorf("%s needs %v, the field %v", entry.name(), scopes, declared)
		}
	}
	if len(entities) > 0 {
		t.Errorf("no lookup of %v", entities)
	}
}

// TestKindsHaveCodes: clients get the error of every kind with a code of the schema, except bugs, which are masked.
func TestKindsHaveCodes(t *testing.T) {
	schema, err := NewSchema(nil, Features{Live: true})
	must(t, err)
	for kind := range upstream.NumKinds {
		described := Describe(&upstream.Error{Service: upstream.Core, Kind: kind})
		if kind == upstream.KindInternal {
			if described != nil {
				t.Errorf("%s: clients get %q", kind, described.Message)
			}
		} else if schema.Schema().Types["ErrorCode"].EnumValues.ForName(string(described.Code)) == nil {
			t.Errorf("%s: the schema lacks the code %s", kind, described.Code)
		}
	}
}

// TestPixEnums: the enums of decoded Pix texts have the values of package pix, in their order.
func TestPixEnums(t *testing.T) {
	schema, err := NewSchema(nil, Features{Live: true})
	must(t, err)
	for name, want := range map[string]string{
		"PixProblemCode": fmt.Sprint(pix.ProblemCodes()),
		"BRCodeKind":     fmt.Sprint([]pix.BRCodeKind{pix.Static, pix.Dynamic}),
		"BRCodeCRC":      fmt.Sprint([]pix.CRCResult{pix.CRCCorrect, pix.CRCWrong, pix.CRCMissing}),
		"EndToEndKind":   fmt.Sprint([]pix.EndToEndKind{pix.Payment, pix.Refund}),
	} {
		var values []string
		for _, value := range schema.Schema().Types[name].EnumValues {
			values = append(values, value.Name)
		}
		if got := fmt.Sprint(values); got != want {
			t.Errorf("%s has %s, want %s", name, got, want)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
