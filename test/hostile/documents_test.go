package hostile

import (
	"fmt"
	"strings"
)

// times repeats a format with the numbers from 0.
func times(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// largeDocuments would take long to validate or to run without limits. Each is refused by the named limit.
func largeDocuments() []row {
	rows := []row{
		{name: "comments of 30 KB", send: query("#" + strings.Repeat(echo, 3_000) + "\n{ deposits { totalCount } }"), status: 200},
		{name: "50 fields of one name", send: query("{ deposits { " + strings.Repeat("totalCount ", 50) + "} }"), status: 200},
		{name: "50 root fields", send: query("{" + times(50, "a%d: __typename ") + "}"), status: 200},
		{name: "50 directives", send: query("{ deposits { " + strings.Repeat("totalCount @skip(if: false) ", 50) + "} }"), status: 200},
		{
			name: "50 definitions",
			send: query("{ deposits { " + times(49, "...f%d ") + "} }" + times(49, "fragment f%d on DepositConnection { totalCount } ")), status: 200,
		},
		{name: "the schema's names", send: query("{ __schema { types { name } } }"), status: 200},
	}
	for _, tt := range []struct{ name, document, limit string }{
		{"36 KB of one field", "{ deposits { nodes { " + strings.Repeat("amount ", 5_000) + "} } }", "bytes"},
		{"30 KB of one field", "{ deposits { nodes { " + strings.Repeat("amount ", 4_200) + "} } }", "tokens"},
		{"1 MB of one field", "{ deposits { nodes { " + strings.Repeat("amount ", 140_000) + "} } }", "bytes"},
		{"900 fields of one name", "{ deposits { " + strings.Repeat("totalCount ", 900) + "} }", "validation"},
		{"10,000 unknown directives", "{ deposits " + strings.Repeat("@a ", 10_000) + "{ totalCount } }", "tokens"},
		{"10,000 aliases", "{ deposits { " + times(2_500, "a%d:totalCount ") + "} }", "bytes"},
		{"101 derived fields", "{ deposits { " + times(26, "a%d: nodes { ...d } ") + "} } fragment d on Deposit { " +
			"timeline { at } endToEndId { kind } endToEndRefundId { kind } pixResponse { brCode { kind } } }", "derived"},
		{"braces 10,000 deep", strings.Repeat("{a", 10_000), "tokens"},
		{
			"fields 16 deep",
			"{ notification(id: 1) { " + strings.Repeat("transaction { notifications { nodes { ", 5) + "id" + strings.Repeat("} } } ", 5) + "} }",
			"depth",
		},
		{"fragments 16 deep", "{ notification(id: 1) { ...f0 } }" + deep(16), "depth"},
		{"fragments that double 20 times", "{ deposits { ...f0 } }" + doubling(20, "DepositConnection", "totalCount"), "fields"},
		{"fragments that double 45 times", "{ deposits { ...f0 } }" + doubling(45, "DepositConnection", "totalCount"), "fields"},
		{"3,000 variables", "query(" + times(2_600, "$v%d:Int ") + ") { deposits { totalCount } }", "tokens"},
		{"a list of 10,000", "{ transactions(ids: [" + strings.Repeat("1 ", 10_000) + "]) { id } }", "tokens"},
		{"a string of 40 KB", "{ transaction(id: \"" + strings.Repeat("a", 40_000) + "\") { id } }", "bytes"},
		{"a block string of 40 KB", "{ transaction(id: \"\"\"" + strings.Repeat("\n ", 20_000) + "\"\"\") { id } }", "bytes"},
		{"a name of 40 KB", "{ " + strings.Repeat("a", 40_000) + " }", "bytes"},
		{"space of 40 KB", "{ deposits { totalCount } }" + strings.Repeat(" ", 40_000), "bytes"},
		{"introspection many times", "{" + times(40, "a%d: __schema { types { fields { name description args { name } } } } ") + "}", "introspection"},
	} {
		rows = append(rows, row{name: tt.name, send: query(tt.document), status: 400, code: limit, limit: tt.limit})
	}
	return rows
}

// doubling is a chain of fragments that each spread the next one twice.
func doubling(n int, on, last string) string {
	var b strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&b, "fragment f%d on %s { ...f%d ...f%d } ", i, on, i+1, i+1)
	}
	fmt.Fprintf(&b, "fragment f%d on %s { %s } ", n-1, on, last)
	return b.String()
}

// deep is a chain of fragments that are each one field deeper.
func deep(n int) string {
	var b strings.Builder
	for i := range n {
		on, field := [...]string{"Notification", "Transaction", "TransactionNotifications"}[i%3], [...]string{"transaction", "notifications", "nodes"}[i%3]
		fmt.Fprintf(&b, "fragment f%d on %s { %s { ...f%d } } ", i, on, field, i+1)
	}
	fmt.Fprintf(&b, "fragment f%d on Transaction { id } ", n)
	return b.String()
}

// invalidDocuments cannot be parsed, or do not match the schema.
func invalidDocuments() []row {
	var rows []row
	for _, document := range []string{
		"{", "}", "{}", "{ deposits", "{ deposits( }", "{ deposits { totalCount }", "{ deposits { totalCount } } }", "query query query", "query ($a) { b }",
		"{ deposits(page: ) { totalCount } }", "{ deposits(page 1) { totalCount } }", "{ a: }", "{ :a }", "{ ... on }", "{ @skip }", "fragment on on X { a }",
		"{ deposits { totalCount } } \"" + echo, "{ \"" + echo + "\" }", `{ transaction(id: "` + echo, `{ transaction(id: """` + echo,
		`{ transaction(id: "\q` + echo + `") { id } }`,
		`{ transaction(id: "\u{110000}") { id } }`, "{ transaction(id: \"a\nb\") { id } }", "{ deposits(page: 01) { totalCount } }",
		"{ deposits(page: 1.) { totalCount } }", "{ deposits(page: 0x1) { totalCount } }", "{ deposits(page: 1a) { totalCount } }",
		"{ d\u00e9posits { totalCount } }", "{ \U0001F4A9 }",
		"\x00", "{ deposits \x07 { totalCount } }", "type A { b: C }", "extend schema { query: X }", "{ deposits { totalCount } } type A { b: C }",
		"` OR 1=1 --", "<script>alert(1)</script>",
		"{ deposits(filter: {" + strings.Repeat("a:{", 20) + ") }", "query($a: Int = $b) { deposits(page: $a) { totalCount } }", "{ a(b: &) }", "{ .. }",
		"!", "%", "?",
	} {
		rows = append(rows, row{name: "parse " + document[:min(len(document), 40)], send: query(document), status: 400, code: parse})
	}
	for _, document := range []string{
		"", " ", "#" + echo, "{ depositz { totalCount } }", "{ deposits { totalCounts } }", "{ deposits }", "{ deposits { totalCount { a } } }",
		"{ deposits(pgae: 1) { totalCount } }",
		"{ deposits(page: \"" + echo + "\") { totalCount } }", "{ deposits(page: 1.5) { totalCount } }", "{ deposits(page: true) { totalCount } }",
		"{ deposits(page: [1]) { totalCount } }",
		"{ deposits(page: {a: 1}) { totalCount } }", "{ deposits(page: 99999999999999999999) { totalCount } }",
		"{ deposits(page: 1, page: 2) { totalCount } }", "{ deposits(page: $p) { totalCount } }",
		"query($p: Int, $p: Int) { deposits(page: $p) { totalCount } }", "query($p: Strin) { deposits { totalCount } }",
		"query($p: String) { deposits(page: $p) { totalCount } }", "query($p: Deposit) { deposits { totalCount } }",
		"query($p: Int) { deposits { totalCount } }", "query($p: Int! = null) { deposits(page: $p) { totalCount } }", "{ deposits @nope { totalCount } }",
		"{ deposits @skip { totalCount } }", "{ deposits @skip(if: \"" + echo + "\") { totalCount } }",
		"{ deposits @skip(if: true) @skip(if: true) { totalCount } }", "{ deposits @deprecated { totalCount } }",
		"{ ...@defer(if: null) { deposits { totalCount } } }", "{ ...@defer(label: \"a\") @defer(label: \"b\") { deposits { totalCount } } }",
		"{ ...@defer(label: 1) { deposits { totalCount } } }", "{ deposits @defer { totalCount } }", "{ transactions { id } }", "{ transaction(id: null) { id } }",
		"{ transaction(id: true) { id } }", "{ transaction(id: 1.5) { id } }", "{ transactions(ids: [null]) { id } }",
		"{ deposits(filter: {statsu: PAID}) { totalCount } }", "{ deposits(filter: {status: [PIAD]}) { totalCount } }",
		"{ deposits(filter: {status: \"PAID\"}) { totalCount } }", "{ deposits(filter: \"" + echo + "\") { totalCount } }",
		"{ deposits(filter: {minAmount: 1, minAmount: 2}) { totalCount } }",
		"{ deposits { ...f } } fragment f on DepositConnection { ...f }",
		"{ deposits { ...f } } fragment f on DepositConnection { ...g } fragment g on DepositConnection { ...f }",
		"{ deposits { ...f } } fragment f on Deposit { id }", "{ deposits { ...nope } }", "{ deposits { totalCount } } fragment f on Nope { id }",
		"{ deposits { totalCount } } fragment f on Deposit { id }",
		"{ deposits { totalCount } } fragment f on DepositConnection { totalCount } fragment f on DepositConnection { perPage }",
		"{ deposits { ... on Withdrawal { id } } }", "{ deposits { totalCount } } { deposits { totalCount } }",
		"query a { __typename } query a { __typename }", "query a { __typename } query b { __typename }",
		"{ a: deposits { totalCount } a: withdrawals { totalCount } }", "{ deposits(page: 1) { totalCount } deposits(page: 2) { totalCount } }",
		"{ __type { name } }", "{ __schem { types { name } } }", "{ _service { sdl } }", "{ _entities(representations: []) { id } }",
		"{ node(id: 1) { id } }",
		"{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }", "{ deposits { " + times(300, "nope%d ") + "} }",
	} {
		rows = append(rows, row{name: "validate " + document[:min(len(document), 60)], send: query(document), status: 400, code: invalid})
	}
	return append(rows,
		row{name: "a byte order mark", send: query("\ufeff{ deposits { totalCount } }"), status: 200},
		row{name: "commas and all kinds of white space", send: query("\t,,,{\r\n,deposits,,{,totalCount,},}\r,"), status: 200},
		row{name: "a lone surrogate in an argument", send: query(`{ transaction(id: "\ud800") { id } }`), status: 400, code: invalid},
		row{name: "escapes in an argument", send: query(`{ __type(name: "\u0044\u0065posit") { name } }`), status: 200},
		row{name: "an unknown type", send: query(`{ deposits { totalCount } __type(name: "` + echo + `") { name } }`), status: 200},
	)
}
