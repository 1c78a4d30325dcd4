package check_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pixgraph/gateway/check"
	"pixgraph/graph/guard/limits"
	"pixgraph/serve"
)

// run checks files, given as alternating names and texts, and returns the lines of the report: operations, then
// problems.
func run(t *testing.T, config limits.Config, files ...string) (lines []string) {
	t.Helper()
	gateway, err := serve.NewChecker(config, serve.Features{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	var list []check.File
	for i := 0; i < len(files); i += 2 {
		list = append(list, check.File{Name: files[i], Text: []byte(files[i+1])})
	}
	report := check.Run(gateway, list)
	for _, operation := range report.Operations {
		lines = append(lines, operation.String())
	}
	for _, problem := range report.Problems {
		lines = append(lines, problem.String())
	}
	return lines
}

func TestRun(t *testing.T) {
	const row = "fragment Row on Deposit { id amount }\n"
	const list = "query List { deposits { nodes { ...Row } } }\n"
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		{"an operation", []string{"a", "# list\n\n  query List { deposits { totalCount } }"}, []string{"query List (a:3:3): upstream calls: 1"}},
		{"a byte order mark", []string{"a", "\ufeff{ deposits { nope } }"}, []string{
			`a:1:14: Cannot query field "nope" on type "DepositConnection". Did you mean "nodes"?`,
		}},
		{"an operation after a byte order mark", []string{"a", "\ufeff{ deposits { totalCount } }"}, []string{"query (a:1:1): upstream calls: 1"}},
		{"a manifest after a byte order mark", []string{"a", "\ufeff{}"}, []string{
			"a: the manifest is not JSON: invalid character 'ï' looking for beginning of value",
		}},
		{"a name that would reorder text", []string{"a\u202e\u2028b", "{ nope }"}, []string{`a  b:1:3: Cannot query field "nope" on type "Query".`}},
		{"an anonymous operation", []string{"a", "{ deposits { totalCount } }"}, []string{"query (a:1:1): upstream calls: 1"}},
		{"a fragment in another file", []string{"a", list, "b", row}, []string{"query List (a:1:1): upstream calls: 1"}},
		{"the other file first", []string{"b", row, "a", list}, []string{"query List (a:1:1): upstream calls: 1"}},
		{"a fragment of a fragment", []string{
			"a", list, "b", "fragment Row on Deposit { ...Cell }", "c", "fragment Cell on Deposit { id }",
		}, []string{"query List (a:1:1): upstream calls: 1"}},
		{"a fragment that is missing", []string{"a", list}, []string{`a:1:36: Unknown fragment "Row".`}},
		{"two files with a fragment", []string{"a", list, "b", row, "c", row}, []string{
			"query List (a:1:1): upstream calls: 1", `a:1:36: several files have a fragment "Row": b, c`,
		}},
		{"many files with a fragment", []string{"a", list, "b", row, "c", row, "d", row, "e", row}, []string{
			"query List (a:1:1): upstream calls: 1", `a:1:36: several files have a fragment "Row": b, c, d and others`,
		}},
		{"two files that have their own", []string{"a", list + row, "b", list + row}, []string{
			"query List (a:1:1): upstream calls: 1", "query List (b:1:1): upstream calls: 1",
		}},
		{"two fragments of one name in one operation", []string{
			"a", list + "fragment Row on Deposit { ...Cell }\n", "b", row + "fragment Cell on Deposit { ...Row }",
		}, []string{
			"a:1:1: a fragment spreads itself", `b:2:31: several files have a fragment "Row": a, b`,
		}},
		{"a problem in a fragment that two operations use", []string{
			"a", list, "b", "query Other { deposits { nodes { ...Row } } }", "c", "fragment Row on Deposit {\n  amont\n}",
		}, []string{`c:2:3: Cannot query field "amont" on type "Deposit". Did you mean "amount"?`}},
		{"a problem in a fragment that no operation uses", []string{"a", "fragment Row on Deposit { nope }"},
			[]string{`a:1:27: Cannot query field "nope" on type "Deposit".`}},
		{"fragments only", []string{"a", row}, nil},
		{"an unused fragment next to an operation", []string{"a", "{ deposits { totalCount } }\n" + row}, []string{
			"query (a:1:1): upstream calls: 1", `a:2:1: no operation uses fragment "Row"`,
		}},
		{"a fragment that spreads itself", []string{"a", "{ deposits { nodes { ...F } } } fragment F on Deposit { ...F }"},
			[]string{"a:1:1: a fragment spreads itself"}},
		{"a fragment that spreads itself, unused", []string{"a", "fragment F on Deposit { ...F }"}, []string{"a:1:1: a fragment spreads itself"}},
		{"many operations in one file", []string{
			"a", strings.Repeat("query List { deposits { totalCount } }\n", 2) + "{ deposits { totalCount } }",
		}, []string{
			"query List (a:1:1): upstream calls: 1", "query List (a:2:1): upstream calls: 1", "query (a:3:1): upstream calls: 1",
			`a:2:1: the file has two operations with the name "List"`, "a:3:1: an operation without a name must be the only one of its file",
		}},
		{"two fragments of one name in one file", []string{"a", list + row + row}, []string{
			"query List (a:1:1): upstream calls: 1", `a:3:1: no operation uses fragment "Row"`,
			`a:3:1: the file has two fragments with the name "Row"`,
		}},
		{"a description of an operation", []string{
			"a", "query A { deposits { totalCount } }\n\"b\" query B { deposits { totalPages } }"}, []string{
			"query A (a:1:1): upstream calls: 1", "query B (a:2:5): upstream calls: 1",
		}},
		{"braces in arguments", []string{
			"a", `query A($f: DepositFilter = {startDate: "}"}) { deposits(filter: $f) { totalCount } } query B { deposits { id } }`,
		}, []string{
			"query A (a:1:1): upstream calls: 1", `a:1:108: Cannot query field "id" on type "DepositConnection".`,
		}},
		{"a syntax error", []string{"a", "query {\n  deposits { id\n}"}, []string{"a:3:2: Expected Name, found <EOF>"}},
		{"a definition that is longer than a document may be", []string{"a", "query A { __typename }\nquery B { " + strings.Repeat("a ", 16_384) + "}"},
			[]string{"a:2:1: the document has more than 32768 bytes"}},
		{"a long definition without an end", []string{"a", "query A { __typename }\nquery B { " + strings.Repeat("a ", 16_384)},
			[]string{"a:2:1: the operation or fragment has no end"}},
		{"a file that is too large", []string{"a", strings.Repeat("{ __typename }\n", 300_000)}, []string{"a: is larger than 4194304 bytes"}},
		{"line ends of Windows", []string{"a", "query A {\r\n  nope\r\n}"}, []string{`a:2:3: Cannot query field "nope" on type "Query".`}},
		{"other characters before a problem", []string{"a", "# ção 💸\n{ pixKey(text: \"é💸\") { zzzzz } }"}, []string{
			`a:2:24: Cannot query field "zzzzz" on type "PixKeyText".`,
		}},
		{"not UTF-8", []string{"a", "{ deposits {\n  totalCount \xff } }"}, []string{"a:2:14: the text is not UTF-8"}},
		{"an empty file", []string{"a", ""}, []string{"a: the file has no operation and no fragment"}},
		{"a comment", []string{"a", "# nothing\n"}, []string{"a: the file has no operation and no fragment"}},
		{"a schema", []string{"a", "type Query { a: Int }"}, []string{"a:1:1: this is a schema; check accepts operations and fragments"}},
		{"control characters", []string{"a\n::b", "query A($s: DepositStatus = \"\x1b[31m\\n\") { pixKey(text: $s) { kind } }"}, nil},
		{"a cost that depends on variables", []string{"a", "query A($after: String) { deposits(after: $after) { totalCount } }"},
			[]string{"query A (a:1:1): upstream calls: 1 to 2, depending on its variables"}},
		{"a cost that variables may take above the limit", []string{"a", "query A($ids: [ID!]!) { transactions(ids: $ids) { id } }"},
			[]string{"query A (a:1:1): upstream calls: 1 or more, depending on its variables; rejected above 20"}},
		{"a cost above the limit", []string{"a", "{ transaction(id: 1) { notifications { links { state } } } }"},
			[]string{"a:1:1: the operation may cause more than 20 upstream calls: request fewer records"}},
		{"a document above a limit", []string{"a", "query A { ...F }\n", "b", "fragment F on Query { deposits { nodes { payer { document { value } } } } }"},
			[]string{"a:1:1: the document nests fields more than 4 levels deep"}},
		{"a subscription", []string{"a", "subscription A { transaction(id: 1) { id } }"}, []string{"subscription A (a:1:1): upstream calls: 1"}},
		{"a subscription to two fields", []string{"a", "subscription A { a: transaction(id: 1) { id } b: transaction(id: 1) { id } }"},
			[]string{"a:1:1: a subscription must select exactly one field, without @skip and @include"}},
		{"a subscription with a condition", []string{"a", "subscription A($on: Boolean!) { transaction(id: 1) @skip(if: $on) { id } }"},
			[]string{"a:1:1: a subscription must select exactly one field, without @skip and @include"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, limits.Config{MaxCost: 20, Depth: 4}, tt.files...)
			if tt.name == "control characters" {
				if len(got) == 0 || strings.ContainsAny(strings.Join(got, ""), "\x1b\n") {
					t.Errorf("%q", got)
				}
				return
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestManifest: the documents of a manifest are checked as they are, in each of its forms.
func TestManifest(t *testing.T) {
	const apollo = `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [
		{"id": "a", "name": "A", "type": "query", "body": "query A { deposits { totalCount } }"},
		{"id": "b", "name": "C", "type": "query", "body": "query B {\n  nope }"}]}`
	tests := []struct {
		name, text string
		want       []string
	}{
		{"Apollo's form", apollo, []string{
			"query A (m:2:10): upstream calls: 1", `m:3:10: document "b" at 2:3: Cannot query field "nope" on type "Query".`,
			`m:3:10: document "b": has no operation of the name that the manifest gives`,
		}},
		{"genqlient's form", `{"operations": [{"operationName": "A", "query": "\nquery A { deposits { totalCount } }\n", "sourceLocation": "a.go"},
			{"operationName": "B", "query": "query B { nope }", "sourceLocation": "b.go"}]}`, []string{
			"query A (m:1:49): upstream calls: 1",
			fmt.Sprintf(`m:2:36: document "%x" at 1:11: Cannot query field "nope" on type "Query".`, sha256.Sum256([]byte("query B { nope }"))),
		}},
		{"Relay's form", "{\n\"é\": \"{ deposits { totalCount } }\", \"x\": \"query {\"}", []string{
			"query (m:2:1): upstream calls: 1", `m:2:37: document "x" at 1:8: Expected Name, found <EOF>`,
		}},
		{"a fragment of another document", `{"x": "{ deposits { nodes { ...F } } }", "y": "{ deposits { nodes { ...F } } } fragment F on Deposit { id }"}`, []string{
			"query (m:1:42): upstream calls: 1", `m:1:2: document "x" at 1:25: Unknown fragment "F".`,
		}},
		{"a hash of another text", `{"sha256:` + strings.Repeat("0", 64) + `": "{ deposits { totalCount } }"}`, []string{
			`m:1:2: document "sha256:` + strings.Repeat("0", 64) + `": has an id that is not the hash of its text`,
		}},
		{"a document above a limit", `{"x": "{ a: deposits { nodes { payer { document { value } } } } }"}`, []string{
			`m:1:2: document "x": the document nests fields more than 4 levels deep`,
		}},
		{"an id with escapes", "{\n \"y\": \"{ deposits { totalCount } }\", \"\\u0078\": \"{ nope }\"}", []string{
			"query (m:2:2): upstream calls: 1", `m:2:38: document "x" at 1:3: Cannot query field "nope" on type "Query".`,
		}},
		{"no document", "{}", []string{"m: the manifest holds no document"}},
		{"another JSON value", "[1]", []string{"m: the manifest must be an object"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t, limits.Config{MaxCost: 20, Depth: 4}, "m", tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestLongChains: a chain of fragments is followed no further than a gateway would accept it, so that the time does not
// grow with the square of its length, and a fragment far behind is used all the same.
func TestLongChains(t *testing.T) {
	const length = 500
	var chain strings.Builder
	for i := range length - 1 {
		fmt.Fprintf(&chain, "fragment F%d on Deposit { id ...F%d }\n", i, i+1)
	}
	fmt.Fprintf(&chain, "fragment F%d on Deposit { id }\n", length-1)
	const tooMany = "the document has more than 1000 tokens"
	config := limits.Config{Validation: 1 << 30}
	got := run(t, config, "chain", chain.String(), "query", "{ deposits { nodes { ...F0 } } }")
	if want := []string{"query:1:1: " + tooMany}; !slices.Equal(got, want) {
		t.Errorf("%d lines, the first is %.1000q, want %q", len(got), got[:min(len(got), 1)], want)
	}
	alone := run(t, config, "chain", chain.String())
	if want := "chain:1:1: " + tooMany; len(alone) != length-1000/9 || alone[0] != want {
		t.Errorf("%d lines, the first is %q, want %q", len(alone), alone[0], want)
	}
}
