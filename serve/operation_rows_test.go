package serve_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/test/gatewaytest"
)

// operationRow is a document, and requests with their expected responses.
type operationRow struct {
	name     string
	document string // %s is replaced by the field r, a transaction
	requests []operationRequest
}

// operationRequest has the expected data, or the expected code of the error.
type operationRequest struct {
	operation  string
	variables  variables
	data, code string
}

const invalid = "GRAPHQL_VALIDATION_FAILED"

// operationRows are the smallest documents for differences that random comparisons found.
var operationRows = []operationRow{
	{
		"the defaults of a shared fragment's variable differ",
		`query A($x: Boolean! = true) { ...F } query B($x: Boolean! = false) { ...F }
			fragment F on Query { %s { acquirer @include(if: $x) status @skip(if: $x) } }`,
		[]operationRequest{
			{"A", nil, `{"r":{"acquirer":"a"}}`, ""},
			{"B", nil, `{"r":{"status":"PAID"}}`, ""},
			{"B", variables{"x": true}, `{"r":{"acquirer":"a"}}`, ""},
			{"A", variables{"x": false}, `{"r":{"status":"PAID"}}`, ""},
		},
	}, {
		"the variables are in another order",
		`query A($x: Boolean!, $y: Boolean!) { ...F } query B($y: Boolean!, $x: Boolean!) { ...F }
			fragment F on Query { %s { acquirer @include(if: $x) status @include(if: $y) } }`,
		[]operationRequest{
			{"A", variables{"x": true, "y": false}, `{"r":{"acquirer":"a"}}`, ""},
			{"B", variables{"x": true, "y": false}, `{"r":{"acquirer":"a"}}`, ""},
			{"B", variables{"x": false, "y": true}, `{"r":{"status":"PAID"}}`, ""},
			{"A", variables{"x": false, "y": true}, `{"r":{"status":"PAID"}}`, ""},
		},
	}, {
		"one operation has an additional variable",
		`query A($z: Boolean!, $x: Boolean! = true) { __typename @include(if: $z) ...F } query B($x: Boolean! = true) { ...F }
			fragment F on Query { %s { acquirer @include(if: $x) amount } }`,
		[]operationRequest{
			{"A", variables{"z": false}, `{"r":{"acquirer":"a","amount":5}}`, ""},
			{"B", variables{"x": false}, `{"r":{"amount":5}}`, ""},
			{"B", nil, `{"r":{"acquirer":"a","amount":5}}`, ""},
			{"A", variables{"z": true, "x": false}, `{"__typename":"Query","r":{"amount":5}}`, ""},
		},
	}, {
		"a variable has a value, is absent and is null",
		`query A($x: Boolean = false) { %s @skip(if: $x) { acquirer @skip(if: $x) } }`,
		[]operationRequest{
			{"A", nil, `{"r":{"acquirer":"a"}}`, ""},
			{"A", variables{"x": true}, `{}`, ""},
			{"A", variables{"x": nil}, ``, invalid},
			{"A", variables{"x": false}, `{"r":{"acquirer":"a"}}`, ""},
		},
	}, {
		"a null for a Boolean within a record",
		`query A($x: Boolean = true) { %s { acquirer status @include(if: $x) } }`,
		[]operationRequest{
			{"A", variables{"x": nil}, ``, invalid},
			{"A", variables{"x": false}, `{"r":{"acquirer":"a"}}`, ""},
			{"A", nil, `{"r":{"acquirer":"a","status":"PAID"}}`, ""},
		},
	}, {
		"a null for a Boolean among several roots",
		`query A($x: Boolean = true) { %s { acquirer @include(if: $x) } one: __typename two: transaction(id: "x") @skip(if: $x) { acquirer } }`,
		[]operationRequest{
			{"A", variables{"x": nil}, ``, invalid},
			{"A", nil, `{"r":{"acquirer":"a"},"one":"Query"}`, ""},
		},
	}, {
		"a null for a Boolean within two roots", // which run in separate goroutines
		`query A($x: Boolean = true) { %s { acquirer @include(if: $x) } two: deposits { perPage @include(if: $x) } }`,
		[]operationRequest{
			{"A", variables{"x": nil}, ``, invalid},
			{"A", nil, `{"r":{"acquirer":"a"},"two":{"perPage":20}}`, ""},
		},
	}, {
		"a null for a Boolean of a fragment's spread",
		`query A($x: Boolean = true) { ...F @include(if: $x) } fragment F on Query { %s { ... @skip(if: $x) { acquirer } amount } }`,
		[]operationRequest{
			{"A", variables{"x": nil}, ``, invalid},
			{"A", nil, `{"r":{"amount":5}}`, ""},
			{"A", variables{"x": false}, `{}`, ""},
		},
	}, {
		"a null for a Boolean of which only another operation has a default",
		`query A($x: Boolean!) { ...F } query B($x: Boolean = true) { ...F } fragment F on Query { %s { acquirer @include(if: $x) amount } }`,
		[]operationRequest{
			{"A", variables{"x": nil}, ``, invalid},
			{"B", variables{"x": nil}, ``, invalid},
			{"A", nil, ``, invalid},
			{"B", nil, `{"r":{"acquirer":"a","amount":5}}`, ""},
			{"A", variables{"x": false}, `{"r":{"amount":5}}`, ""},
		},
	}, {
		"the aliases of two operations",
		`query A { r: transaction(id: "` + transactionA + `") { v: acquirer } } query B { %s { v: status } }`,
		[]operationRequest{
			{"A", nil, `{"r":{"v":"a"}}`, ""},
			{"B", nil, `{"r":{"v":"PAID"}}`, ""},
		},
	}, {
		"fields with the same key in two fragments",
		`query A { ...F ...G } query B { ...G } fragment F on Query { %[1]s { acquirer } } fragment G on Query { %[1]s { amount } }`,
		[]operationRequest{
			{"B", nil, `{"r":{"amount":5}}`, ""},
			{"A", nil, `{"r":{"acquirer":"a","amount":5}}`, ""},
			{"B", nil, `{"r":{"amount":5}}`, ""},
		},
	}, {
		"an operation that the document lacks",
		`query A { %s { acquirer } } query B { __typename }`,
		[]operationRequest{
			{"C", nil, ``, invalid},
			{"", nil, ``, invalid},
			{"A", nil, `{"r":{"acquirer":"a"}}`, ""},
		},
	}, {
		"a default that is null",
		`query A($n: Int = null) { ...F } query B($n: Int = 2) { ...F } fragment F on Query { deposits(first: $n) { perPage } }`,
		[]operationRequest{
			{"A", nil, `{"deposits":{"perPage":20}}`, ""},
			{"B", nil, `{"deposits":{"perPage":2}}`, ""},
			{"B", variables{"n": nil}, `{"deposits":{"perPage":20}}`, ""},
			{"A", variables{"n": 3}, `{"deposits":{"perPage":3}}`, ""},
		},
	}, {
		"the defaults of an argument and of a condition",
		`query A($n: Int, $x: Boolean = true) { ...F } query B($n: Int = 2, $x: Boolean = false) { ...F }
			fragment F on Query { deposits(first: $n) { perPage totalCount @include(if: $x) } }`,
		[]operationRequest{
			{"A", nil, `{"deposits":{"perPage":20,"totalCount":0}}`, ""},
			{"B", nil, `{"deposits":{"perPage":2}}`, ""},
			{"A", variables{"n": 5}, `{"deposits":{"perPage":5,"totalCount":0}}`, ""},
			{"B", variables{"x": true}, `{"deposits":{"perPage":2,"totalCount":0}}`, ""},
		},
	}, {
		"a fragment of three operations, among their own fields",
		`query A { ...F %[1]s { status amount } } query B { ...F } query C { %[1]s { amount } ...F } fragment F on Query { %[1]s { acquirer } }`,
		[]operationRequest{
			{"A", nil, `{"r":{"acquirer":"a","status":"PAID","amount":5}}`, ""},
			{"B", nil, `{"r":{"acquirer":"a"}}`, ""},
			{"C", nil, `{"r":{"amount":5,"acquirer":"a"}}`, ""},
		},
	}, {
		"a fragment with two conditional spreads",
		`query A($x: Boolean!, $y: Boolean!) { %[1]s { amount } ...F @include(if: $x) ...F @include(if: $y) }
			fragment F on Query { %[1]s { acquirer } }`,
		[]operationRequest{
			{"A", variables{"x": false, "y": false}, `{"r":{"amount":5}}`, ""},
			{"A", variables{"x": false, "y": true}, `{"r":{"amount":5,"acquirer":"a"}}`, ""},
			{"A", variables{"x": true, "y": false}, `{"r":{"amount":5,"acquirer":"a"}}`, ""},
		},
	},
}

// TestOperationsOfOneDocument sends each pair of requests of a row in both orders, with each of them as the first
// that the document is planned for, and then all in order: by text and by hash, with POST and with GET.
func TestOperationsOfOneDocument(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDifferential(t, true)
		d.bodies = map[string][]byte{
			"/transaction/" + transactionA: []byte(`{"id":"` + transactionA + `","acquirer":"a","status":"PAID","amount":5}`),
			"/deposit":                     []byte(`{"total":0,"totalPages":0,"currentPage":1,"perPage":20,"data":[]}`),
		}
		for _, row := range operationRows {
			document := row.document
			if strings.Contains(document, "%") {
				document = fmt.Sprintf(document, fmt.Sprintf("r: transaction(id: %q)", transactionA))
			}
			gatewaytest.Row(t, row.name, func(t testing.TB) {
				for i, first := range row.requests {
					fresh := fmt.Sprint(document, " # first is ", i)
					for _, second := range row.requests {
						d.wantRow(t, fresh, first, false, byText)
						d.wantRow(t, fresh, second, false, byText)
					}
				}
				for _, get := range []bool{false, true} {
					for _, hash := range []hashing{byText, byTextAndHash, byHash} {
						for _, request := range row.requests {
							d.wantRow(t, document, request, get, hash)
						}
					}
				}
			})
		}
	})
}

// wantRow sends a request and fails the test unless the response is as expected.
func (d *differential) wantRow(t testing.TB, document string, want operationRequest, get bool, hash hashing) {
	t.Helper()
	r := sessionRequest{document, want.operation, want.variables, get, hash}
	got := readOutcome(t, d.run(r, d.one))
	if string(got.Data) != want.data || strings.Join(got.Codes, " ") != want.code {
		t.Errorf("operation %q, variables %v: %s %v, want %s %s", want.operation, want.variables, got.Data, got.Codes, want.data, want.code)
	}
}
