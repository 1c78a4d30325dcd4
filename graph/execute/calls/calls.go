// Package calls reads from the schema which fields lead to calls of the REST APIs, as the directive @upstreamCalls and
// the types of the fields declare. The cost of an operation, its plans and the links between records are derived from
// it. It makes no calls.
//
// A record is an object type with a field `id: ID!`. A field that leads to a record makes one call or more. Fields of
// Query and of records that lead to a record must be declared; the objects in between, such as a connection, hold data
// that is already fetched. A field that sums the pages of a list is declared too, and leads to no record.
//
// Read the function Read first.
package calls

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Directive is the name of the directive that declares the calls of a field.
const Directive = "upstreamCalls"

// Form is the shape in which a field returns records.
type Form int

// The forms.
const (
	Record     Form = iota // one record
	List                   // a list of records
	Connection             // a page of records, with edges and pageInfo
	Entities               // a list of records of several types
	Other                  // another object that contains records
)

// Entity is the name of the union of the records that other subgraphs of a federated schema refer to, with fragments
// that are valid within each of these records. Representations is the argument of the field with such records.
const (
	Entity          = "_Entity"
	Representations = "representations"
)

// TypeOf returns the type of the record that a representation names; "" if it names none.
func TypeOf(representation any) string {
	members, _ := representation.(map[string]any)
	name, _ := members["__typename"].(string)
	return name
}

// Field is the declaration of one field.
type Field struct {
	Type string // the named type of the field
	Form Form

	SlicingArgument string // an argument with a list of ids, with one call and one record for each; "" for none
	MaxRecords      int    // the largest number of records; 0 if the slicing argument alone determines it
	SecondCallWith  string // an argument that can cause a second call; "" for none

	PagesArgument string // an argument with the largest number of calls, of a field without records; "" for none
	DefaultPages  int    // the default of that argument

	ID *Member // set only for a link to one record
}

// Member is the field of an object that holds the id of another record.
type Member struct {
	Name     string
	Required bool // whether its type is non-null
}

// Fields are the declared fields of a schema. It is immutable.
type Fields map[*ast.FieldDefinition]*Field

// Read returns the declared fields. It fails if a declaration is malformed, if a declared field leads to no record and
// sums no pages, or if a field that leads to a record is not declared.
func Read(schema *ast.Schema) (Fields, error) {
	declared := Fields{}
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		parent := schema.Types[name]
		for _, definition := range parent.Fields {
			directive := definition.Directives.ForName(Directive)
			if directive == nil {
				continue
			}
			field, err := read(schema, parent, definition, directive)
			if err != nil {
				return nil, fmt.Errorf("schema: %s.%s: @%s: %w", name, definition.Name, Directive, err)
			}
			declared[definition] = field
		}
	}
	return declared, declared.checkAll(schema)
}

// isRecord reports whether a type is a record type.
func isRecord(definition *ast.Definition) bool {
	if definition == nil || definition.Kind != ast.Object {
		return false
	}
	id := definition.Fields.ForName("id")
	return id != nil && id.Type.NonNull && id.Type.NamedType == "ID"
}

// formOf returns the form of a type.
func formOf(schema *ast.Schema, t *ast.Type) Form {
	definition := schema.Types[t.Name()]
	switch {
	case isRecord(definition) && t.Elem != nil:
		return List
	case isRecord(definition):
		return Record
	case definition.Name == Entity:
		return Entities
	case t.Elem == nil && definition.Fields.ForName("nodes") != nil && definition.Fields.ForName("pageInfo") != nil:
		return Connection
	default:
		return Other
	}
}
