package hostile

import "testing"

// conditions are values of @skip and @include that are not a Boolean. They once ended the process if fields ran in
// their own goroutines, and otherwise left an operation running.
func conditions(t *testing.T, g *gateway) {
	const null = `{"x":null}`
	links := `query($x: Boolean = true) { transaction(id: "<transaction>") { notifications(ids: ["a", "b"]) { links { state @include(if: $x) } } } }`
	for _, tt := range []struct{ name, document, variables string }{
		{"null in one root field", `query($x: Boolean = true) { a: deposits { totalCount @include(if: $x) } }`, null},
		{"null in two root fields", `query($x: Boolean = true) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @include(if: $x) } }`, null},
		{"null of root fields", `query($x: Boolean = true) { a: deposits @skip(if: $x) { totalCount } b: deposits @include(if: $x) { totalCount } }`, null},
		{
			"null in a fragment",
			`query($x: Boolean = true) { a: deposits { ...F } b: deposits { ...F } } fragment F on DepositConnection { nodes { id @skip(if: $x) } }`, null,
		},
		{
			"null of a spread",
			`query($x: Boolean = true) { a: deposits { ...F @include(if: $x) } b: deposits { ... @skip(if: $x) { totalPages } } }
				fragment F on DepositConnection { totalCount }`,
			null,
		},
		{"null below a list element", links, null},
		{"null of introspection", `query($x: Boolean = true) { __schema { types { name @include(if: $x) } } a: __typename @skip(if: $x) }`, null},
		{"objects", `{ a: deposits { totalCount @skip(if: {}) } b: deposits { totalCount @skip(if: {}) } }`, ``},
		{"lists", `{ a: deposits { totalCount @include(if: []) } b: deposits { totalCount @include(if: [true]) } }`, ``},
		{"a null literal", `{ a: deposits { totalCount @include(if: null) } b: deposits { totalCount @skip(if: null) } }`, ``},
		{"strings", `query($x: Boolean = true) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @include(if: $x) } }`, `{"x":"true"}`},
		{
			"a variable of another type",
			`query($x: [Boolean!] = [true]) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @include(if: $x) } }`, `{"x":[]}`,
		},
		{"a default of null", `query($x: Boolean = null) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @include(if: $x) } }`, `{}`},
		{"no value and no default", `query($x: Boolean) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @include(if: $x) } }`, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.wantRow(t, row{send: operation(tt.document, tt.variables), status: 400, code: invalid})
			g.wantNoOperations(t)
			g.wantResponse(t)
		})
	}
	g.wantRow(t, row{send: operation(links, `{"x":false}`), status: 200, has: []string{`"links":[{},{}`}})
	g.wantRow(t, row{send: operation(links, `{}`), status: 200, has: []string{`"links":[{"state":`}})
}
