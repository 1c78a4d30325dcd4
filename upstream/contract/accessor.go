package contract

import (
	"fmt"
	"slices"
	"strings"
)

// object is a type of the client whose accessors read the properties of a schema.
type object struct {
	Name, Description string
	Accessors         []accessor
}

// accessor is a method of an object.
type accessor struct{ Name, Type, Read string }

// initialisms are the names of accessors that do not begin like their property.
var initialisms = map[string]string{"id": "ID", "ip": "IP", "ispb": "ISPB", "uri": "URI", "url": "URL", "qrCodeBase64": "QRCodeBase64"}

func accessorName(property string) string {
	if name := initialisms[property]; name != "" {
		return name
	}
	for _, suffix := range []string{"Id", "Url"} {
		if word, ok := strings.CutSuffix(property, suffix); ok {
			return title(word) + strings.ToUpper(suffix)
		}
	}
	return title(property)
}

// objects returns the records and the objects within them, in the order of the document. Document and Contact are not
// among them: they have two forms, and are written by hand.
func (d *Document) objects() ([]object, error) {
	reached := map[string]bool{}
	for _, e := range d.endpoints() {
		d.reach(e.record, reached)
	}
	var list []object
	for _, schema := range d.Components.Schemas {
		if !reached[schema.Name] {
			continue
		}
		o := object{Name: d.typeName(schema.Name), Description: schema.Value.Description}
		for _, property := range schema.Value.Properties {
			typ, read, err := d.read(property.Value, slices.Contains(schema.Value.Required, property.Name))
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", schema.Name, property.Name, err)
			}
			name := accessorName(property.Name)
			o.Accessors = append(o.Accessors, accessor{name, typ, fmt.Sprintf(read, property.Name)})
			if strings.HasPrefix(read, "enum[") {
				o.Accessors = append(o.Accessors, accessor{name + "Raw", "Text", fmt.Sprintf("r.text(%q)", property.Name)})
			}
		}
		list = append(list, o)
	}
	return list, nil
}

// reach adds a schema with properties, and those of its properties.
func (d *Document) reach(name string, reached map[string]bool) {
	schema := d.Components.Schemas.Get(name)
	if reached[name] || schema == nil || len(schema.Properties) == 0 {
		return
	}
	reached[name] = true
	for _, property := range schema.Properties {
		inner, element, _ := d.unwrap(property.Value)
		if element.Items != nil {
			inner, _ = d.resolve(element.Items)
		}
		d.reach(inner, reached)
	}
}

// typeName returns the name of a type in Go and in the GraphQL schema.
func (d *Document) typeName(schema string) string {
	if name := d.Components.Schemas.Get(schema).TypeName; name != "" {
		return name
	}
	return schema
}

// unwrap returns the schema of a property and its name, without null.
func (d *Document) unwrap(s *Schema) (name string, schema *Schema, nullable bool) {
	if len(s.AnyOf) > 0 { // a schema, or null
		name, schema = d.resolve(s.AnyOf[0])
		return name, schema, true
	}
	name, schema = d.resolve(s)
	return name, schema, schema.Type == nil && schema.AnyOf == nil || slices.Contains(schema.Type, "null")
}

// read returns the type of an accessor, and the expression with a verb for the name of its property.
func (d *Document) read(property *Schema, required bool) (typ, expression string, err error) {
	name, s, nullable := d.unwrap(property)
	types := slices.DeleteFunc(slices.Clone(s.Type), func(typ string) bool { return typ == "null" })
	one, maybe := "", ""
	switch {
	case name == "Document":
		return "*Document", "required(&r.object, %q, documentReader(&r.object))", nil
	case name == "Contact":
		return "*Contact", "optional(&r.object, %q, ReadContact)", nil
	case len(s.Enum) > 0:
		typ, one = name, "enum["+name+"](&r.object, %q)"
	case name == "Cents" && (nullable || !required):
		typ, maybe = "*Cents", "r.maybeCents(%q)"
	case name == "Cents":
		typ, one = "Cents", "r.cents(%q)"
	case len(s.Properties) > 0:
		part := "art[" + d.typeName(name) + "](&r.object, %q)"
		typ, one, maybe = "*"+d.typeName(name), "p"+part, "maybeP"+part
	case slices.Equal(types, []string{"array"}) && s.Items.Ref == "":
		typ, one = "[]Element[Text]", "r.texts(%q)"
	case slices.Equal(types, []string{"array"}):
		element, _ := d.resolve(s.Items)
		parts := "arts[" + d.typeName(element) + "](&r.object, %q)"
		typ, one, maybe = "[]Element["+d.typeName(element)+"]", "p"+parts, "maybeP"+parts
	case slices.Equal(types, []string{"string"}):
		typ, one, maybe = "Text", "r.text(%q)", "r.maybeText(%q)"
	case slices.Equal(types, []string{"number"}):
		typ, one, maybe = "Decimal", "r.decimal(%q)", "r.maybeDecimal(%q)"
	case slices.Equal(types, []string{"integer"}):
		typ, one = "int32", "r.int32(%q)"
	case slices.Equal(types, []string{"boolean"}):
		typ, one = "bool", "r.flag(%q)"
	default:
		typ, one, maybe = "JSON", "r.json(%q)", "r.maybeJSON(%q)"
	}
	if expression = one; nullable || !required {
		expression = maybe
	}
	if expression == "" {
		return "", "", fmt.Errorf("no accessor reads a %s that may be absent: add one to upstream/read.go", typ)
	}
	return typ, expression, nil
}
