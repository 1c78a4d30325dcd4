package limits

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
)

// fieldCost returns the worst-case cost of a declared field: the calls that it makes for each record it is selected on,
// and the number of records that its own selection set is then executed on.
func fieldCost(field *calls.Field, a arguments) (made, records int) {
	if field.PagesArgument != "" {
		return max(1, a.number(field.PagesArgument, field.DefaultPages)), 0
	}
	if field.SlicingArgument == "" {
		made = 1
		if field.SecondCallWith != "" && a.given(field.SecondCallWith) {
			made = 2
		}
		return made, max(1, field.MaxRecords)
	}
	ids := field.MaxRecords // the gateway may find ids itself
	switch {
	case ids > 0:
	case field.Form == calls.Entities:
		ids = a.length(field.SlicingArgument, math.MaxInt32) // only the cost of the operation bounds them
	default:
		ids = a.length(field.SlicingArgument, MaxIDs)
	}
	return ids, ids
}

// callingFields are the fields of a schema that make calls, with their declarations, and the fields that lead to them,
// with nil. All other fields cost nothing.
type callingFields map[*ast.FieldDefinition]*calls.Field

// findCallingFields finds the fields of a schema that make calls or lead to them. It fails if a declaration is invalid.
func findCallingFields(schema *ast.Schema) (callingFields, error) {
	declared, err := calls.Read(schema)
	if err != nil {
		return nil, err
	}
	found := callingFields(declared)
	for more := true; more; { // until a pass finds no further field
		more = false
		for _, definition := range schema.Types {
			for _, field := range definition.Fields {
				if _, ok := found[field]; !ok && leadsToCall(schema, field, found) {
					found[field] = nil
					more = true
				}
			}
		}
	}
	return found, nil
}

// leadsToCall reports whether the type of a field, or a type that implements it, has one of the found fields.
func leadsToCall(schema *ast.Schema, field *ast.FieldDefinition, found callingFields) bool {
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
