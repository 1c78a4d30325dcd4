package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// complete adds the files of the GraphQL schema below the root folder, with the fields that the document has and they
// lack. A new field is the last one of its type. It has the description of the document, which its author may edit.
func (d *Document) complete(root string, files map[string][]byte) error {
	paths, err := filepath.Glob(filepath.Join(root, "graph", "*.graphqls"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		schema := string(text)
		for _, named := range d.Components.Schemas {
			for _, property := range named.Value.Properties {
				_, value, nullable := d.unwrap(property.Value)
				mark, head := "!", "type "+d.typeName(named.Name)
				if nullable || !slices.Contains(named.Value.Required, property.Name) {
					mark = ""
				}
				schema = insert(schema, head, property.Name, property.Value.Description, d.graphQL(property.Value)+mark)
				if len(value.Enum) > 0 {
					schema = insert(schema, head, property.Name+"Raw", "The value of `"+property.Name+"` as the API sent it.", "String"+mark)
				}
			}
		}
		for _, e := range d.endpoints() {
			for _, p := range e.parameters {
				if p.In != "path" {
					schema = insert(schema, "input "+e.record+"Filter", p.Name, p.Description, d.graphQL(p.Schema))
				}
			}
		}
		files[path] = []byte(schema)
	}
	return err
}

// insert returns a schema whose type has a field. A schema without the type stays as it is.
func insert(schema, head, name, description, typ string) string {
	before, rest, found := strings.Cut(schema, "\n"+head+" {")
	block, after, _ := strings.Cut(rest, "\n}\n")
	if !found || strings.Contains(block, "\n  "+name+":") || strings.Contains(block, "\n  "+name+"(") {
		return schema
	}
	return fmt.Sprintf("%s\n%s {%s\n  %q\n  %s: %s\n}\n%s", before, head, block, description, name, typ, after)
}

// graphQL returns the type of a property or a parameter in the GraphQL schema.
func (d *Document) graphQL(s *Schema) string {
	name, value, _ := d.unwrap(s)
	switch {
	case name == "Uuid" || name == "UuidV4":
		return "ID"
	case strings.HasSuffix(name, "AmountBound"):
		return "Cents"
	case slices.Contains(value.Type, "array"):
		return "[" + d.graphQL(value.Items) + "!]"
	case slices.Contains([]string{"Document", "Contact", "DateTime", "Cents"}, name) || name != "" && len(value.Enum)+len(value.Properties) > 0:
		return d.typeName(name)
	case value.Type == nil || slices.Contains(value.Type, "object"):
		return "JSON"
	}
	return map[string]string{"string": "String", "integer": "Int", "number": "Decimal", "boolean": "Boolean"}[value.Type[0]]
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
