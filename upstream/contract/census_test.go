package contract_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// census counts the properties and enumeration values in responses. Validation allows members that the document does not list, so
// it would not notice a member with a wrong name. The census checks that the sandbox sends every property of the document and
// no other member.
type census struct {
	seen    map[string]bool // "Deposit.amount", "DepositStatus PAID"
	unknown map[string]bool // members that the document does not have
}

func newCensus() *census { return &census{map[string]bool{}, map[string]bool{}} }

// walk counts the properties of a value of a schema.
func (c *census) walk(ref *openapi3.SchemaRef, value any) {
	switch value := value.(type) {
	case map[string]any:
		if ref = alternativeRef(ref, "object"); ref == nil {
			return
		}
		for member, v := range value {
			property := ref.Value.Properties[member]
			switch {
			case property == nil && len(ref.Value.Properties) > 0:
				c.unknown[componentOf(ref)+"."+member] = true
			case property != nil && v != nil:
				c.seen[componentOf(ref)+"."+member] = true
				c.walk(property, v)
			}
		}
	case []any:
		for _, element := range value {
			if ref.Value.Items != nil {
				c.walk(ref.Value.Items, element)
			}
		}
	case string:
		if ref = alternativeRef(ref, "string"); ref != nil && slices.Contains(ref.Value.Enum, any(value)) {
			c.seen[componentOf(ref)+" "+value] = true
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

// alternativeRef returns the schema itself, or that of its anyOf, which accepts values of a type; nil without such a schema.
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

// check fails for properties that the sandbox never sent, and for members that the document does not have.
func (c *census) check(t *testing.T, doc *document) {
	t.Helper()
	for what := range c.unknown {
		t.Errorf("the sandbox sends %s, which the document does not have", what)
	}
	for name, ref := range doc.Components.Schemas {
		for property := range ref.Value.Properties {
			if !c.seen[name+"."+property] {
				t.Errorf("the sandbox never sends %s.%s", name, property)
			}
		}
		for _, value := range ref.Value.Enum {
			if text, ok := value.(string); !ok || !c.seen[name+" "+text] {
				t.Errorf("the sandbox never sends %s %v", name, value)
			}
		}
	}
}

// TestCensus: the census finds the members that the document does not have.
func TestCensus(t *testing.T) {
	doc, c := open(t), newCensus()
	var value any
	text := `{"name":"Ana","document":{"value":"1","kind":"CPF"},"email":{"free":1},"mail":"a@example.com"}`
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	c.walk(&openapi3.SchemaRef{Ref: "#/components/schemas/Customer", Value: doc.Components.Schemas["Customer"].Value}, value)
	if len(c.unknown) != 2 || !c.unknown["Customer.mail"] || !c.unknown["DocumentObject.kind"] {
		t.Errorf("unknown = %v", c.unknown)
	}
	if !c.seen["Customer.document"] || !c.seen["DocumentObject.value"] || c.seen["Customer.ip"] {
		t.Errorf("seen = %v", c.seen)
	}
}
