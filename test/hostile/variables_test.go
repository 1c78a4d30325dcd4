package hostile

import (
	"strings"
)

// costs are operations that would make too many calls. No call is made.
func costs() []row {
	ids := func(n int) string { return `{"ids":[` + strings.Repeat(`"<transaction>",`, n-1) + `"<transaction>"]}` }
	const list = `query($ids: [ID!]!) { transactions(ids: $ids) { id } }`
	const linked = `query($ids: [ID!]!) { transactions(ids: $ids) { notifications { nodes { id } } } }`
	const costHeader = "X-Pixgraph-Cost: 1"
	over := func(name string, send request) row {
		return row{name: name, send: send, status: 400, code: limit, limit: "cost"}
	}
	tooMany := func(name, variables string) row {
		return row{name: name, send: operation(list, variables), status: 200, code: input, partial: true, has: []string{`"transactions":null`}}
	}
	return []row{
		{name: "a requested cost", send: operation(list, ids(50), costHeader), status: 200, has: []string{`"cost":{"upstreamCalls":50,"max":1100}`}},
		{name: "links of 21 transactions", send: operation(linked, ids(21)), status: 200},
		over("links of 22 transactions", operation(linked, ids(22))),
		over("a refusal with a requested cost", operation(linked, ids(22), costHeader)),
		over("links of links", query(`{ notification(id: 1) { transaction { notifications { nodes { transaction { notifications { nodes { id } } } } } } } }`)),
		over("links of links in a fragment", query(
			`{ notification(id: 1) { ...f } }
			fragment f on Notification { transaction { ... { notifications { nodes { transaction { notifications { __typename } } } } } } }`,
		)),
		over("50 times the links of a transaction", query("{"+times(50, `a%d: transaction(id: "<transaction>") { notifications { __typename } } `)+"}")),
		over("9,000 ids", operation(list, ids(9_000))),
		over("9,000 ids in an excluded field's operation", operation(
			`query($ids: [ID!]!, $more: Boolean!) { transactions(ids: $ids) { id } deposits @include(if: $more) { totalCount } }`,
			strings.Replace(ids(9_000), "{", `{"more":false,`, 1),
		)),
		tooMany("51 ids", ids(51)),
		tooMany("no ids", `{"ids":[]}`),
		{name: "10,000 ids", send: operation(list, ids(10_001)), status: 400, code: limit, limit: "jsonValues"},
		{name: "the cost of an excluded field", send: operation(
			`query($no: Boolean!) { deposits { totalCount } notification(id: 1) @include(if: $no) {
				transaction { notifications { nodes { transaction { notifications { __typename } } } } } } }`, `{"no":false}`,
		), status: 200},
	}
}

// variables do not match their declaration, or are invalid for their use. TestStrictVariables and TestNullConditions of
// package serve have more.
func variables() []row {
	const (
		page   = `query($v: Int) { deposits(page: $v) { totalCount } }`
		id     = `query($v: ID!) { transaction(id: $v) { id } }`
		ids    = `query($v: [ID!]!) { transactions(ids: $v) { id } }`
		filter = `query($v: DepositFilter) { deposits(filter: $v) { totalCount } }`
		after  = `query($v: String) { deposits(after: $v) { totalCount } }`
		links  = `query($v: Boolean = true) { transaction(id: "<transaction>") { notifications(ids: ["a"]) { links { state @include(if: $v) } } } }`
		flag   = `query($v: Boolean!) { deposits @skip(if: $v) { totalCount } }`
	)
	type tried struct{ name, document, value string }
	var rows []row
	for _, tt := range []tried{
		{"an Int of 64 bits and one", page, `18446744073709551616`}, {"an Int out of the range of doubles", page, `1E400`},
		{"an Int of 10,000 digits", page, strings.Repeat("9", 10_000)}, {"an Int as an object", page, `{"` + echo + `":1}`},
		{"an id missing", id, ``}, {"ids as an object", ids, `{"0":"a"}`}, {"ids in lists in lists", ids, `[["a"]]`},
		{"ids 60 deep", ids, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		{"a filter as a string", filter, `"` + echo + `"`}, {"a filter's unknown field", filter, `{"` + echo + `":1}`},
		{"a filter's field __proto__", filter, `{"__proto__":{"status":["PAID"]}}`},
		{"a filter 60 deep", filter, strings.Repeat(`{"status":`, 58) + "1" + strings.Repeat("}", 58)},
		{"an unknown status", filter, `{"status":["` + echo + `"]}`}, {"a status null", filter, `{"status":[null]}`},
		{"1,001 statuses", filter, `{"status":[` + strings.Repeat(`"PAID",`, 1_000) + `"PAID"]}`},
		{"a Boolean as a string", flag, `"true"`}, {"a missing Boolean", flag, ``}, {"a condition below a list", links, `null`},
	} {
		sent := `{"v":` + tt.value + `}`
		if tt.value == "" {
			sent = `{}`
		}
		rows = append(rows, row{name: tt.name, send: operation(tt.document, sent), status: 400, code: invalid})
	}
	for _, tt := range []tried{
		// An invalid value of a custom scalar, or a value that an API would refuse, is an error of the field.
		{"a date as a number", filter, `{"startDate":1}`}, {"a date as an object", filter, `{"startDate":{}}`},
		{"page 0", page, `0`}, {"a negative page", page, `-2147483648`}, {"the maximum page", page, `2147483647`},
		{"an id without the form of an id", id, `"` + echo + `"`}, {"an empty id", id, `""`}, {"an id as a number", id, `7`},
		{"an id with a path", id, `"../deposit"`}, {"an id with a query", id, `"a?x=1#y"`}, {"an id of 30 KB", id, `"` + strings.Repeat("a", 30_000) + `"`},
		{"an id with a line break", id, `"<transaction>\r\nX: y"`}, {"an id in braces", id, `"{<transaction>}"`},
		{"an id as a URN", id, `"urn:uuid:<transaction>"`}, {"an id with non-ASCII digits", id, `"٣2dc7925-3b96-4b1f-a7ad-3351051ce9fc"`},
		{"an unknown status", filter, `{"status":["UNKNOWN"]}`}, {"no status", filter, `{"status":[]}`},
		{"a status twice", filter, `{"status":["PAID","PAID"]}`}, {"1,000 statuses", filter, `{"status":[` + strings.Repeat(`"PAID",`, 999) + `"PAID"]}`},
		{"an amount of 0", filter, `{"minAmount":0}`}, {"an amount above the maximum", filter, `{"maxAmount":10000001}`},
		{"an amount of 64 bits and one", filter, `{"minAmount":9223372036854775808}`}, {"an amount as a fraction", filter, `{"minAmount":1.5}`},
		{"an amount as a string", filter, `{"minAmount":"` + echo + `"}`}, {"a date without the form of a date", filter, `{"startDate":"` + echo + `"}`},
		{"a date without time", filter, `{"startDate":"2026-01-31"}`}, {"an invalid date", filter, `{"startDate":"2026-02-30T00:00:00Z"}`},
		{"a date of 20 KB", filter, `{"startDate":"` + strings.Repeat("2026-01-01T00:00:00Z", 1_000) + `"}`},
		{"a cursor without the form of a cursor", after, `"` + echo + `"`}, {"an empty cursor", after, `""`},
		{"a cursor of another version", after, `"AgAAAAEAAAABAAAAAkAC3ki7YyTj"`}, {"a cursor of another list", after, `"AQAAAAEAAAABAAAAAkAC3ki7YyTj"`},
		{"a cursor with a line break", after, `"AQA0000AAAA0AA00\n00000000000"`},
		{"a cursor without a size", after, `"AQAAAAEAAAAAAAAAAEAC3ki7YyTj"`}, {"a cursor out of range", after, `"AQ_____________________EAC3ki7"`},
		{"a cursor of 30 KB", after, `"` + strings.Repeat("A", 30_000) + `"`},
	} {
		rows = append(rows, row{name: tt.name, send: operation(tt.document, `{"v":`+tt.value+`}`), status: 200, code: input, partial: true})
	}
	return append(rows,
		row{name: "undeclared variables", send: operation(page, `{"w":1,"`+echo+`":{"a":[1E400]}}`), status: 200},
		row{name: "an Int with an exponent", send: operation(page, `{"v":1e0}`), status: 200},
		row{name: "a nullable variable as null", send: operation(page, `{"v":null}`), status: 200},
		row{name: "a single value for a list", send: operation(ids, `{"v":"<transaction>"}`), status: 200},
	)
}
