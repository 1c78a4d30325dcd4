package contract_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// census counts the forms of the properties and the values of the enumerations in responses. Validation allows members
// that the document does not list, so it would not notice a member with a wrong name. The census checks that the
// sandbox sends every property of the document in each of its forms, and no other member.
type census struct {
	forms   map[string]map[string]bool // "Deposit.amount": absent, null, or a JSON type
	values  map[string]bool            // "DepositStatus PAID"
	unknown map[string]bool            // members that the document does not have
}

func newCensus() *census {
	return &census{map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// walk counts the properties of a value of a schema.
func (c *census) walk(ref *openapi3.SchemaRef, value any) {
	switch value := value.(type) {
	case map[string]any:
		if ref = alternativeRef(ref, openapi3.TypeObject); ref == nil || len(ref.Value.Properties) == 0 {
			return
		}
		for member := range value {
			if ref.Value.Properties[member] == nil {
				c.unknown[componentOf(ref)+"."+member] = true
			}
		}
		for member, property := range ref.Value.Properties {
			name := componentOf(ref) + "." + member
			if c.forms[name] == nil {
				c.forms[name] = map[string]bool{}
			}
			v, present := value[member]
			if !present {
				c.forms[name]["absent"] = true
				continue
			}
			c.forms[name][formOf(v)] = true
			c.walk(property, v)
		}
	case []any:
		for _, element := range value {
			if ref.Value.Items != nil {
				c.walk(ref.Value.Items, element)
			}
		}
	case string:
		if ref = alternativeRef(ref, openapi3.TypeString); ref != nil && slices.Contains(ref.Value.Enum, any(value)) {
			c.values[componentOf(ref)+" "+value] = true
		}
	}
}

func formOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return openapi3.TypeString
	case json.Number:
		return openapi3.TypeNumber
	case bool:
		return openapi3.TypeBoolean
	case []any:
		return openapi3.TypeArray
	}
	return openapi3.TypeObject
}

// formsOf returns the forms that a property can have.
func formsOf(schema *openapi3.Schema) map[string]bool {
	forms := map[string]bool{}
	for _, other := range schema.AnyOf {
		maps.Copy(forms, formsOf(other.Value))
	}
	for _, typ := range schema.Type.Slice() {
		if typ == openapi3.TypeInteger {
			typ = openapi3.TypeNumber
		}
		forms[typ] = true
	}
	if len(forms) == 0 {
		for _, form := range []string{"null", openapi3.TypeString, openapi3.TypeNumber, openapi3.TypeBoolean, openapi3.TypeArray, openapi3.TypeObject} {
			forms[form] = true
		}
	}
	return forms
}

// alwaysSent are the optional properties that the sandbox always sends.
var alwaysSent = []string{"DocumentObject.type", "Deposit.pixResponse", "Transaction.pixResponse"}

// check fails for forms that the sandbox never sent, and for members that the document does not have.
func (c *census) check(t *testing.T, doc *document) {
	t.Helper()
	for what := range c.unknown {
		t.Errorf("the sandbox sends %s, which the document does not have", what)
	}
	for name, ref := range doc.Components.Schemas {
		for property, schema := range ref.Value.Properties {
			what := name + "." + property
			want := formsOf(schema.Value)
			if slices.Contains(alwaysSent, what) {
				delete(want, "null")
			} else if !slices.Contains(ref.Value.Required, property) {
				want["absent"] = true
			}
			if got := c.forms[what]; !maps.Equal(got, want) {
				t.Errorf("the sandbox sends %s as %v, the document has %v", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
		for _, value := range ref.Value.Enum {
			if text, ok := value.(string); !ok || !c.values[name+" "+text] {
				t.Errorf("the sandbox never sends %s %v", name, value)
			}
		}
	}
}

// componentOf returns the name of the component that a schema refers to, or "" for an inline schema.
func componentOf(ref *openapi3.SchemaRef) string {
	if ref == nil {
		return ""
	}
	return strings.TrimPrefix(ref.Ref, "#/components/schemas/")
}

// alternativeRef returns the schema itself, or that of its anyOf, which accepts values of a type; nil without such a
// schema.
func alternativeRef(ref *openapi3.SchemaRef, typ string) *openapi3.SchemaRef {
	if ref.Value.Type.Includes(typ) {
		return ref
	}
	for _, other := range ref.Value.AnyOf {
		if found := alternativeRef(other, typ); found != nil {
			return found
		}
	}
	return nil
}

// TestCensus: the census finds the members that the document does not have.
func TestCensus(t *testing.T) {
	doc, c := open(t), newCensus()
	var value any
	text := `{"name":"Ana","document":{"value":"1","kind":"CPF"},"email":{"free":1},"mail":"a@example.com"}`
	must(t, json.Unmarshal([]byte(text), &value))
	c.walk(&openapi3.SchemaRef{Ref: "#/components/schemas/Customer", Value: doc.Components.Schemas["Customer"].Value}, value)
	if len(c.unknown) != 2 || !c.unknown["Customer.mail"] || !c.unknown["DocumentObject.kind"] {
		t.Errorf("unknown = %v", c.unknown)
	}
	if !c.forms["Customer.document"]["object"] || !c.forms["DocumentObject.value"]["string"] || !c.forms["Customer.ip"]["absent"] {
		t.Errorf("forms = %v", c.forms)
	}
}
