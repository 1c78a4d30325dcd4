package check_test

import (
	"slices"
	"strings"
	"testing"

	"pixgraph/graph/guard/limits"
)

// TestTemplates checks operations in files of JavaScript and TypeScript.
func TestTemplates(t *testing.T) {
	const ok, row = "upstream calls: 1", "fragment Row on Deposit { id }"
	const list = "query List { deposits { nodes { ...Row } } }"
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		{"gql", []string{"a.ts", "import x from 'y';\n\nconst é = gql`query A { deposits { totalCount } }`;"}, []string{"query A (a.ts:3:15): " + ok}},
		{"graphql", []string{"a.js", "const a = graphql `query A { deposits { totalCount } }`;"}, []string{"query A (a.js:1:20): " + ok}},
		{"a call", []string{"a.tsx", "graphql(\n  `query A { deposits { totalCount } }`, [Row])"}, []string{"query A (a.tsx:2:4): " + ok}},
		{"a call with a comment", []string{"a.jsx", "gql(/* GraphQL */ `{ deposits { totalCount } }`)"}, []string{"query (a.jsx:1:20): " + ok}},
		{"a comment", []string{"a.mts", "x(/* graphql */\n`{ deposits { totalCount } }`)"}, []string{"query (a.mts:2:2): " + ok}},
		{"types", []string{"a.ts", "gql<A, B<C>>`{ deposits { totalCount } }`"}, []string{"query (a.ts:1:14): " + ok}},
		{"other templates", []string{"a.ts", "css`{ nope }`; `{ nope }`; agql`{ nope }`; gql[`{ nope }`]; gql`{ deposits { totalCount } }`"}, []string{
			"query (a.ts:1:65): " + ok}},
		{"a problem", []string{"a.ts", "// é\r\nconst a = '💸', b = gql`\r\n  query A {\r\n    nope\r\n  }\r\n`"}, []string{
			`a.ts:4:5: Cannot query field "nope" on type "Query".`}},
		{"several documents", []string{"a.ts", "gql`{ deposits { totalCount } }`; gql`{ deposits { totalCount } }`"}, []string{
			"query (a.ts:1:5): " + ok, "query (a.ts:1:39): " + ok}},
		{"one document", []string{"a.ts", "gql`{ deposits { totalCount } } query B { deposits { totalCount } }`"}, []string{
			"query (a.ts:1:5): " + ok, "query B (a.ts:1:33): " + ok, "a.ts:1:5: an operation without a name must be the only one of its template"}},
		{"two operations of a name", []string{"a.ts", "gql`query A { __typename }`; gql`query A { __typename }`"}, []string{
			"query A (a.ts:1:5): upstream calls: 0", "query A (a.ts:1:34): upstream calls: 0", `a.ts:1:34: the file has two operations with the name "A"`}},
		{"fragments of the file", []string{"a.ts", "const ROW = gql`" + row + "`;\ngql`\n${ROW}\n" + list + "\n${ROW.x}`"}, []string{
			"query List (a.ts:4:1): " + ok}},
		{"a fragment of another file", []string{"a.ts", "import { ROW } from './row';\ngql`" + list + "${ROW}`", "row.ts", "export const ROW = gql`" + row + "`"},
			[]string{"query List (a.ts:2:5): " + ok}},
		{"a fragment of a file that is not given", []string{"a.ts", "import React, { A, ROW as R } from \"./row\";\ngql`" + list + "${R}`"}, []string{
			`a.ts:2:40: Unknown fragment "Row". Also check the files from which templates insert fragments: R from "./row".`}},
		{"an unknown fragment", []string{"a.ts", "gql`" + list + "`"}, []string{`a.ts:1:40: Unknown fragment "Row".`}},
		{"fragments for other files", []string{"a.ts", "gql`{ deposits { totalCount } }`; gql`" + row + "`"}, []string{"query (a.ts:1:5): " + ok}},
		{"a fragment that its document does not use", []string{"a.ts", "gql`{ deposits { totalCount } } " + row + "`"}, []string{
			"query (a.ts:1:5): " + ok, `a.ts:1:33: no operation uses fragment "Row"`}},
		{"an expression", []string{"a.ts", "gql`\n${f(`}`)}{ __typename }`; gql`{ nope }`"}, []string{
			"a.ts:2:1: an expression in a template must be the name of a fragment", `a.ts:2:33: Cannot query field "nope" on type "Query".`}},
		{"a template in an expression", []string{"a.ts", "gql`${gql`{ nope }`} { __typename }`"}, []string{
			"a.ts:1:5: an expression in a template must be the name of a fragment"}},
		{"an expression in an operation", []string{"a.ts", "gql`{\n  deposits { ${fields} } }`"}, []string{
			"a.ts:2:14: ${fields} must be before or after an operation or fragment, not in it"}},
		{"an operation over two templates", []string{"a.ts", "gql`query A`; gql`{ __typename }`"}, []string{
			"a.ts:1:5: the operation or fragment has no end", "query (a.ts:1:19): upstream calls: 0"}},
		{"a character that GraphQL lacks", []string{"a.ts", "gql`{ a é }`"}, []string{"a.ts:1:9: Expected Name, found <Invalid>"}},
		{"escapes", []string{"a.ts", "gql`{ pixKey(text: \"\\`\\\\n\\${\") { __typename } }`"}, []string{"query (a.ts:1:5): upstream calls: 0"}},
		{"an escape that is not supported", []string{"a.ts", "gql`{ pixKey(text: \"\\n\") { __typename } }`"}, []string{
			"a.ts:1:21: an escape of JavaScript in a template is not supported"}},
		{"a template without an end", []string{"a.ts", "\n gql`{ nope }"}, []string{"a.ts:2:5: the template literal has no end"}},
		{"an expression without an end", []string{"a.ts", "x = `${ gql`{ nope }`"}, []string{"a.ts:1:5: the template literal has no end"}},
		{"directives that clients remove", []string{
			"a.ts", "graphql`{ deposits @connection(key: \"a\") @catch { totalCount @required @nope } }`"}, []string{
			`a.ts:1:73: Unknown directive "@nope".`}},
		{"directives in a file of GraphQL",
			[]string{"a", "{ deposits @connection(key: \"a\") { totalCount } }"}, []string{`a:1:13: Unknown directive "@connection".`}},
		{"a schema", []string{"a.ts", "gql`type Query { a: Int }`"}, []string{"a.ts:1:5: this is a schema; check accepts operations and fragments"}},
		{"no template", []string{"a.ts", "'use strict'", "b.js", "1"}, []string{
			"a.ts: the file has no template of gql, graphql or /* GraphQL */", "b.js: the file has no template of gql, graphql or /* GraphQL */"}},
		{"a template without an operation", []string{"a.ts", "gql``"}, []string{"a.ts: the file has no operation and no fragment"}},
		{"no template in one of the files", []string{"a.ts", "1", "b.ts", "gql`{ __typename }`"}, []string{"query (b.ts:1:5): upstream calls: 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, limits.Config{}, tt.files...)
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}
