// Package calls reads from the schema which of its fields lead to calls of the REST APIs: what the directive @upstreamCalls
// declares of a field, and what its type says. The cost of an operation, the fast path and the links between records follow
// from it. It makes no call, and it counts none.
//
// A record is an object type with a field `id: ID!`. A field that leads to a record is one call or more. Query and the
// records themselves must declare such fields; the objects in between, such as a connection, hold what was fetched already.
//
// Read first: Read.
package calls

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Directive is the name of the directive that declares a field.
const Directive = "upstreamCalls"

// Form is how a field holds the records that it leads to.
type Form int

// The forms.
const (
	Record     Form = iota // one record
	List                   // a list of records
	Connection             // a page of records, with edges and pageInfo
	Other                  // another object around records
)

// Field is the declaration of one field.
type Field struct {
	Type string // the named type of the field
	Form Form

	SlicingArgument string // a list of ids: one call and one record for each; "" for none
	MaxRecords      int    // the most records; 0 where the slicing argument alone says so
	SecondCallWith  string // an argument that may lead to a second call; "" for none

	ID *Member // of a link to one record; nil for all others
}

// Member is the field of an object that holds the id of another record.
type Member struct {
	Name     string
	Required bool // whether its type is not nullable
}

// Fields are the declared fields of a schema. It never changes.
type Fields map[*ast.FieldDefinition]*Field

// Read returns the declared fields. It fails for a declaration that is malformed, or stands at a field that leads to no
// record, and for a field that leads to a record without a declaration.
func Read(schema *ast.Schema) (Fields, error) {
	declared := Fields{}
	for _, name := range sortedTypes(schema) {
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

func sortedTypes(schema *ast.Schema) []string {
	names := make([]string, 0, len(schema.Types))
	for name := range schema.Types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// isRecord reports whether a type is one of records.
func isRecord(definition *ast.Definition) bool {
	if definition == nil || definition.Kind != ast.Object {
		return false
	}
	id := definition.Fields.ForName("id")
	return id != nil && id.Type.NonNull && id.Type.NamedType == "ID"
}

// formOf is how a type holds records.
func formOf(schema *ast.Schema, t *ast.Type) Form {
	definition := schema.Types[t.Name()]
	switch {
	case isRecord(definition) && t.Elem != nil:
		return List
	case isRecord(definition):
		return Record
	case t.Elem == nil && definition.Fields.ForName("nodes") != nil && definition.Fields.ForName("pageInfo") != nil:
		return Connection
	default:
		return Other
	}
}
