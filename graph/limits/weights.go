package limits

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// weight says what one field costs: the calls that it makes itself, once for each record that it is asked of, and of how
// many records its own fields are then asked. Both at worst.
type weight func(arguments) (calls, records int)

// pageSize is the most records that a page can be asked to have.
const pageSize = 100

// weights has every field that makes a call upstream. A field that leads to another resource and is not here fails
// TestEveryLinkHasAWeight.
var weights = map[string]weight{
	"Query.deposits":            page,
	"Query.withdrawals":         page,
	"Query.withdrawal":          record,
	"Query.transaction":         record,
	"Query.transactions":        each,
	"Query.notification":        record,
	"Query.notifications":       each,
	"Transaction.notifications": links,
	"Notification.transaction":  record,
	"Notification.withdrawal":   record,
}

// record is one record by its id.
func record(arguments) (calls, records int) { return 1, 1 }

// page is a list. Behind a cursor it may need the end of one page and the beginning of the next.
func page(a arguments) (calls, records int) {
	if a.given("after") {
		return 2, pageSize
	}
	return 1, pageSize
}

// each is a record for each id.
func each(a arguments) (calls, records int) {
	ids := a.length("ids")
	return ids, ids
}

// links is the notifications of a transaction: the ids that are given and those that the gateway finds.
func links(a arguments) (calls, records int) {
	tried := a.config.MaxLinks
	if a.config.LinksByArgumentOnly {
		tried = min(tried, a.length("ids"))
	}
	return tried, tried
}

// ways are the fields of a schema that make calls, with their weights, and those that lead to such, with nil. All others
// cost nothing and are passed over.
type ways map[*ast.FieldDefinition]weight

// waysOf finds the ways of a schema. It fails for a weight of a field that does not exist.
func waysOf(schema *ast.Schema) (ways, error) {
	found := ways{}
	unknown := maps.Clone(weights)
	for name, definition := range schema.Types {
		for _, field := range definition.Fields {
			coordinate := name + "." + field.Name
			if weight, ok := weights[coordinate]; ok {
				found[field] = weight
				delete(unknown, coordinate)
			}
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("limits: the schema has no %v", slices.Sorted(maps.Keys(unknown)))
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
