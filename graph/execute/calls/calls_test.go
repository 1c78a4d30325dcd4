package calls_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/generated"
)

// small is a schema with a list, a record with a part, and a link.
const small = `
	directive @upstreamCalls(slicingArgument: String, maxRecords: Int, secondCallWith: String, pagesArgument: String, idField: String) on FIELD_DEFINITION
	interface Node { id: ID! }
	type Order implements Node { id: ID! of: String! maybe: ID number: Int tags: [String!] part: Part }
	type Part { name: String }
	type Orders { nodes: [Order]! pageInfo: PageInfo! }
	type PageInfo { hasNextPage: Boolean! }
	type Found { matches: [Match!]! }
	type Match { order: Order }
`

func load(t *testing.T, text string) *ast.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, field string // of Query, or of Order
		want        calls.Field
	}{
		{"one record", `x(id: ID!): Order @upstreamCalls`, calls.Field{Type: "Order"}},
		{"one record that is never null", `x: Order! @upstreamCalls`, calls.Field{Type: "Order"}},
		{
			"a record for each id", `x(ids: [ID!]!): [Order] @upstreamCalls(slicingArgument: "ids")`,
			calls.Field{Type: "Order", Form: calls.List, SlicingArgument: "ids"},
		},
		{
			"a page", `x(after: String): Orders @upstreamCalls(maxRecords: 7, secondCallWith: "after")`,
			calls.Field{Type: "Orders", Form: calls.Connection, MaxRecords: 7, SecondCallWith: "after"},
		},
		{
			"a list within an object", `x(ids: [ID!]): Found @upstreamCalls(slicingArgument: "ids", maxRecords: 5)`,
			calls.Field{Type: "Found", Form: calls.Other, SlicingArgument: "ids", MaxRecords: 5},
		},
		{"an interface", `x: Node @upstreamCalls(maxRecords: 1)`, calls.Field{Type: "Node", Form: calls.Other, MaxRecords: 1}},
		{
			"a sum of pages", `x(limit: Int! = 9): Part @upstreamCalls(pagesArgument: "limit")`,
			calls.Field{Type: "Part", Form: calls.Other, PagesArgument: "limit", DefaultPages: 9},
		},
		{
			"a link", `extend type Order { x: Order @upstreamCalls(idField: "of") }`,
			calls.Field{Type: "Order", ID: &calls.Member{Name: "of", Required: true}},
		},
		{
			"an optional link", `extend type Order { x: Order @upstreamCalls(idField: "maybe") }`,
			calls.Field{Type: "Order", ID: &calls.Member{Name: "maybe"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			schema, parent := load(t, small+inQuery(tt.field)), "Query"
			if strings.HasPrefix(tt.field, "extend") {
				parent = "Order"
			}
			declared, err := calls.Read(schema)
			if err != nil {
				t.Fatal(err)
			}
			got := declared[schema.Types[parent].Fields.ForName("x")]
			if len(declared) != 1 || got == nil {
				t.Fatalf("%d declarations", len(declared))
			}
			if tt.want.ID != nil && (got.ID == nil || *got.ID != *tt.want.ID) {
				t.Errorf("linked by %+v, want %+v", got.ID, tt.want.ID)
			}
			tt.want.ID = got.ID
			if *got != tt.want {
				t.Errorf("%+v, want %+v", *got, tt.want)
			}
		})
	}
}

// inQuery adds a field to the root type, unless the text extends another type.
func inQuery(text string) string {
	if strings.HasPrefix(text, "extend") {
		return text + " type Query { a: Int }"
	}
	return "type Query { a: Int " + text + " }"
}

func TestReadRejects(t *testing.T) {
	tests := []struct{ name, field, want string }{
		{"no declaration of a record", `x: Order`, "Query.x: needs @upstreamCalls"},
		{"no declaration of a list", `x: [Order]`, "Query.x: needs"},
		{"no declaration of a connection", `x: Orders`, "Query.x: needs"},
		{"no declaration of an object with a list", `x: Found`, "Query.x: needs"},
		{"no declaration of an interface", `x: Node`, "Query.x: needs"},
		{"no declaration of a link", `extend type Order { x: Found }`, "Order.x: needs"},
		{"no declaration in a part", `extend type Part { x: Order }`, "Order.part: needs"},
		{"a declaration of a scalar", `x: Int @upstreamCalls(maxRecords: 1)`, "Query.x: @upstreamCalls: the field leads to no record"},
		{"a declaration of a part", `x: Part @upstreamCalls(maxRecords: 1)`, "leads to no record"},
		{"a string as number", `x: Orders @upstreamCalls(maxRecords: "7")`, "maxRecords must be"},
		{"a number that is too small", `x: Orders @upstreamCalls(maxRecords: 0)`, "maxRecords must be"},
		{"a number that is too large", `x: Orders @upstreamCalls(maxRecords: 99999999999999999999)`, "maxRecords must be"},
		{"a number as name", `x(ids: [ID!]): [Order] @upstreamCalls(slicingArgument: 1)`, "slicingArgument must be"},
		{"an empty name", `x: Order @upstreamCalls(secondCallWith: "")`, "secondCallWith must be"},
		{"a list without a size", `x: [Order] @upstreamCalls`, "needs maxRecords or slicingArgument"},
		{"a page without a size", `x(after: ID): Orders @upstreamCalls(secondCallWith: "after")`, "needs maxRecords"},
		{"one record with a size", `x: Order @upstreamCalls(maxRecords: 2)`, "more than one record"},
		{"an unknown slicing argument", `x: [Order] @upstreamCalls(slicingArgument: "ids")`, "no argument ids"},
		{"a slicing argument that is not a list", `x(id: ID): [Order] @upstreamCalls(slicingArgument: "id")`, "no argument id"},
		{"an unknown cursor argument", `x: Orders @upstreamCalls(maxRecords: 1, secondCallWith: "after")`, "no argument after"},
		{
			"two ways to count", `x(ids: [ID!], after: ID): [Order] @upstreamCalls(slicingArgument: "ids", secondCallWith: "after")`,
			"exclude each other",
		},
		{"an unknown number of pages", `x: Part @upstreamCalls(pagesArgument: "limit")`, "no argument limit"},
		{"a number of pages that is a text", `x(limit: String = "1"): Part @upstreamCalls(pagesArgument: "limit")`, "no argument limit of type Int"},
		{"a number of pages without a default", `x(limit: Int): Part @upstreamCalls(pagesArgument: "limit")`, "with a default"},
		{"no pages by default", `x(limit: Int = 0): Part @upstreamCalls(pagesArgument: "limit")`, "the default of limit must be"},
		{"a sum of records", `x(limit: Int = 1): Order @upstreamCalls(pagesArgument: "limit")`, "for a field without records"},
		{"pages of records", `x(limit: Int = 1): Part @upstreamCalls(pagesArgument: "limit", maxRecords: 1)`, "excludes"},
		{"a link to many records", `extend type Order { x: [Order] @upstreamCalls(maxRecords: 1, idField: "of") }`, "idField is for one record"},
		{"a link from the root", `x: Order @upstreamCalls(idField: "a")`, "idField is for a field of a record"},
		{"a link by an unknown field", `extend type Order { x: Order @upstreamCalls(idField: "by") }`, "no field by"},
		{"a link by a number", `extend type Order { x: Order @upstreamCalls(idField: "number") }`, "no field number"},
		{"a link by a list", `extend type Order { x: Order @upstreamCalls(idField: "tags") }`, "no field tags"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := calls.Read(load(t, small+inQuery(tt.field))); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestSchema: the declarations of the gateway's schema are valid, and only its links to one record have an id field.
func TestSchema(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	declared, err := calls.Read(schema)
	if err != nil {
		t.Fatal(err)
	}
	for definition, field := range declared {
		root := schema.Query.Fields.ForName(definition.Name) == definition || schema.Subscription.Fields.ForName(definition.Name) == definition
		if (field.ID != nil) != (!root && field.Form == calls.Record) {
			t.Errorf("%s: %+v", definition.Name, *field)
		}
	}
}
