package graph

import (
	"testing"

	"pixgraph/graph/calls"
	"pixgraph/graph/paging"
)

// TestDeclaredBounds: the resolvers have the bounds that the schema declares.
func TestDeclaredBounds(t *testing.T) {
	schema, err := NewSchema(nil)
	if err != nil {
		t.Fatal(err)
	}
	for definition, field := range schema.Calls {
		want := 0
		switch field.Form {
		case calls.Connection:
			want = paging.MaxSize
		case calls.Other:
			want = MaxIDs
		}
		if field.MaxRecords != want {
			t.Errorf("%s declares %d records, its resolver has the bound %d", definition.Name, field.MaxRecords, want)
		}
	}
}
