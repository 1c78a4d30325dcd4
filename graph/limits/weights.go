package limits

import (
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/calls"
)

// weigh says what one declared field costs: the calls that it makes itself, once for each record that it is asked of, and of
// how many records its own fields are then asked. Both at worst.
func weigh(field *calls.Field, a arguments) (made, records int) {
	if field.SlicingArgument == "" {
		made = 1
		if field.SecondCallWith != "" && a.given(field.SecondCallWith) {
			made = 2
		}
		return made, max(1, field.MaxRecords)
	}
	ids := a.length(field.SlicingArgument)
	switch {
	case field.MaxRecords == 0:
		return ids, ids
	case a.config.LinksByArgumentOnly:
		ids = min(ids, field.MaxRecords)
	default: // the gateway may find the others
		ids = field.MaxRecords
	}
	return ids, ids
}

// ways are the fields of a schema that make calls, as declared, and those that lead to such, with nil. All others cost
// nothing and are passed over.
type ways map[*ast.FieldDefinition]*calls.Field

// waysOf finds the ways of a schema. It fails for a declaration that is wrong.
func waysOf(schema *ast.Schema) (ways, error) {
	declared, err := calls.Read(schema)
	if err != nil {
		return nil, err
	}
	found := ways{}
	for definition, field := range declared {
		found[definition] = field
	}
	for more := true; more; { // until no field is found that leads to one that was found
		more = false
		for _, definition := range schema.Types {
			for _, field := range definition.Fields {
				if _, ok := found[field]; !ok && leads(schema, field, found) {
					found[field] = nil
					more = true
				}
			}
		}
	}
	return found, nil
}

// leads reports whether a field's type has one of the fields found, or one that implements it has.
func leads(schema *ast.Schema, field *ast.FieldDefinition, found ways) bool {
	types := []*ast.Definition{schema.Types[field.Type.Name()]}
	types = append(types, schema.PossibleTypes[field.Type.Name()]...)
	for _, definition := range types {
		if definition == nil {
			continue
		}
		for _, next := range definition.Fields {
			if _, ok := found[next]; ok {
				return true
			}
		}
	}
	return false
}
