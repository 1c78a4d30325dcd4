package pipeline_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// run is one operation of a document, and what it must lead to.
type run struct {
	operation string
	vars      variables
	want      string // the keys of the answer below deposits; "" where it is null or absent
	query     string // of the call
}

// TestOperationsShareADocument: what is remembered of a document belongs to the operation and the variables that ran, in
// whatever order they run.
func TestOperationsShareADocument(t *testing.T) {
	tests := []struct {
		name, document string
		runs           []run
	}{
		{"a fragment of two operations", `fragment F on Query { deposits { totalCount } }
			query A { ...F deposits { totalPages perPage } } query B { ...F } query C { deposits { currentPage } ...F }`, []run{
			{"A", nil, "totalCount totalPages perPage", ""}, {"B", nil, "totalCount", ""}, {"C", nil, "currentPage totalCount", ""},
		}},
		{"Booleans in another order", `fragment F on Query { deposits { totalCount @include(if: $x) totalPages @include(if: $y) perPage } }
			query A($x: Boolean!, $y: Boolean!) { ...F } query B($y: Boolean!, $x: Boolean!) { ...F }`, []run{
			{"A", variables{"x": true, "y": false}, "totalCount perPage", ""}, {"B", variables{"x": true, "y": false}, "totalCount perPage", ""},
			{"A", variables{"x": false, "y": true}, "totalPages perPage", ""}, {"B", variables{"x": false, "y": true}, "totalPages perPage", ""},
		}},
		{"a condition around the fragment", `fragment F on Query { deposits { totalCount } }
			query A($x: Boolean!) { deposits { perPage } ...F @include(if: $x) }`, []run{
			{"A", variables{"x": true}, "perPage totalCount", ""}, {"A", variables{"x": false}, "perPage", ""},
		}},
		{"a fragment that is spread twice", `fragment F on Query { deposits { totalCount } }
			query A($x: Boolean!, $y: Boolean!) { deposits { perPage } ...F @include(if: $x) ...F @include(if: $y) }`, []run{
			{"A", variables{"x": false, "y": false}, "perPage", ""}, {"A", variables{"x": false, "y": true}, "perPage totalCount", ""},
			{"A", variables{"x": true, "y": false}, "perPage totalCount", ""},
		}},
		{"a default of one operation", `fragment F on Query { deposits(filter: { minAmount: $m }) { totalCount perPage @include(if: $x) } }
			query A($m: Cents, $x: Boolean = true) { ...F } query B($m: Cents = 700, $x: Boolean = false) { ...F }`, []run{
			{"A", nil, "totalCount perPage", ""}, {"B", nil, "totalCount", "minAmount=700"},
			{"A", variables{"m": 5}, "totalCount perPage", "minAmount=5"}, {"B", variables{"x": true}, "totalCount perPage", "minAmount=700"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for turn := range tt.runs { // each ask is first once
				g := start(t)
				for i := range 2 * len(tt.runs) {
					g.run(tt.document, tt.runs[(turn+i)%len(tt.runs)])
				}
			}
		})
	}
}

// run runs one operation of a document, and checks the answer and the call.
func (g *gateway) run(document string, a run) {
	g.T.Helper()
	g.Box.ResetCalls()
	body, err := json.Marshal(map[string]any{"query": document, "operationName": a.operation, "variables": a.vars})
	must(g.T, err)
	got := g.Post(nil, body).WantOK()
	var shown struct {
		Data struct {
			Deposits json.RawMessage `json:"deposits"`
		} `json:"data"`
	}
	must(g.T, json.Unmarshal(got.Body, &shown))
	keys := keysInOrder(g.T, shown.Data.Deposits)
	calls := g.Box.Calls()
	if keys != a.want || len(calls) != 1 || calls[0].RawQuery != a.query {
		g.T.Errorf("%s %v answers %q with %d calls %v, want %q", a.operation, a.vars, keys, len(calls), calls, a.want)
	}
}

// keysInOrder are the keys of an object, parted by spaces.
func keysInOrder(t testing.TB, object []byte) (keys string) {
	t.Helper()
	var members map[string]json.RawMessage
	must(t, json.Unmarshal(object, &members))
	decoder := json.NewDecoder(bytes.NewReader(object))
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return keys
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if _, ok := members[token]; ok && depth == 1 {
				if keys != "" {
					keys += " "
				}
				keys += token
			}
		}
	}
}

// TestNullConditions: a null for a Boolean of @skip or @include is an error of the request, on whichever way the field would
// have been answered, and nothing is called.
func TestNullConditions(t *testing.T) {
	g := start(t)
	id := g.transactionIDs(1)[0]
	for name, document := range map[string]string{
		"two root fields":     `query($x: Boolean = true) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @skip(if: $x) } }`,
		"one root field":      `query($x: Boolean = true) { deposits { totalCount @include(if: $x) } }`,
		"a root field itself": `query($x: Boolean = true) { deposits @include(if: $x) { totalCount } }`,
		"in a fragment":       `query($x: Boolean = true) { deposits { ...F } } fragment F on DepositConnection { totalCount @skip(if: $x) }`,
		"around a fragment":   `query($x: Boolean = true) { ...F @include(if: $x) } fragment F on Query { deposits { totalCount } }`,
		"in a list element":   `query($x: Boolean = true) { transaction(id: "` + id + `") { notifications(ids: ["a", "b"]) { links { state @include(if: $x) } } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			g.Box.ResetCalls()
			a := g.Query(document, variables{"x": nil})
			a.WantError("GRAPHQL_VALIDATION_FAILED")
			if a.Data != nil {
				t.Errorf("%s", a.Body)
			}
			g.WantNoCalls()
			g.Query(document, variables{}).WantOK()
			g.Query(document, variables{"x": false}).WantOK()
		})
	}
	for name, document := range map[string]string{
		"an object as a condition":           `{ a: deposits { totalCount @skip(if: {}) } b: deposits { totalCount @skip(if: {}) } }`,
		"an object as a default":             `query($x: Boolean = {}) { deposits { totalCount @skip(if: $x) } }`,
		"an object as an Int":                `{ deposits(page: {}) { totalCount } }`,
		"an object as an ID":                 `{ transaction(id: {}) { id } }`,
		"an object as a String in an input":  `{ withdrawals(filter: { endToEnd: {} }) { totalCount } }`,
		"an object as an enum":               `{ deposits(filter: { status: {} }) { totalCount } }`,
		"an Int beyond 32 bits":              `{ deposits(page: 2147483648) { totalCount } }`,
		"an ID beyond 64 bits":               `{ transaction(id: 99999999999999999999) { id } }`,
		"an amount beyond 64 bits":           `{ deposits(filter: { minAmount: 99999999999999999999 }) { totalCount } }`,
		"an amount that is infinite":         `{ deposits(filter: { minAmount: 1e999 }) { totalCount } }`,
		"variables of a fragment":            `fragment F($x: Boolean = true) on Query { deposits { totalCount @skip(if: $x) } } { ...F }`,
		"a directive that is not offered":    `{ ... @defer { deposits { totalCount } } }`,
		"an object within a list of scalars": `{ transactions(ids: [{}]) { id } }`,
	} {
		t.Run(name, func(t *testing.T) {
			g.Box.ResetCalls()
			a := g.Query(document)
			if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != "GRAPHQL_VALIDATION_FAILED" || a.Data != nil {
				t.Errorf("%s", a.Body)
			}
			g.WantNoCalls()
		})
	}
	if open := g.Handler.Stats(); open.MemoryHeld != 0 {
		t.Errorf("%d bytes are held by nobody", open.MemoryHeld)
	}
}

// TestStrictVariables: a variable that is not of its type is an error of the request, also where gqlparser takes it.
func TestStrictVariables(t *testing.T) {
	g := start(t)
	const filter = `query($v: WithdrawalFilter) { withdrawals(filter: $v) { totalCount } }`
	tests := []struct {
		name, document string
		value          string // JSON
		fits           bool
	}{
		{"a text for an Int", `query($v: Int) { deposits(page: $v) { totalCount } }`, `"5"`, false},
		{"a fraction for an Int", `query($v: Int) { deposits(page: $v) { totalCount } }`, `1.5`, false},
		{"an Int with a fraction of zero", `query($v: Int) { deposits(page: $v) { totalCount } }`, `2.0`, true},
		{"an Int with an exponent", `query($v: Int) { deposits(page: $v) { totalCount } }`, `2e0`, true},
		{"an Int beyond 32 bits", `query($v: Int) { deposits(page: $v) { totalCount } }`, `2147483648`, false},
		{"true for an Int", `query($v: Int) { deposits(page: $v) { totalCount } }`, `true`, false},
		{"a fraction for an ID", `query($v: ID!) { notification(id: $v) { id } }`, `1.5`, false},
		{"a list of fractions for IDs", `query($v: [ID!]!) { notifications(ids: $v) { id } }`, `["a", 1.5]`, false},
		{"a number for a String", `query($v: String) { deposits(after: $v) { totalCount } }`, `5`, false},
		{"a number for a String in an input", filter, `{"endToEnd": 12345678}`, false},
		{"a name of no field in an input", filter, `{"__typename": "WithdrawalFilter"}`, false},
		{"a value in another case", filter, `{"status": ["paid"]}`, false},
		{"a number for a value", filter, `{"status": [1]}`, false},
		{"a list for an input", filter, `[{"endToEnd": "12345678"}, {}]`, false},
		{"one value for a list", filter, `{"status": "FAILED"}`, true},
		{"null for an input", filter, `null`, true},
		{"null for a String", filter, `{"endToEnd": null}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g.Box.ResetCalls()
			a := g.Query(tt.document, variables{"v": json.RawMessage(tt.value)})
			if tt.fits {
				a.WantOK()
				return
			}
			refused := a.WantError("GRAPHQL_VALIDATION_FAILED")
			if a.Data != nil || len(refused.Message) < len("variable $v") || refused.Message[:len("variable $v")] != "variable $v" {
				t.Errorf("%s", a.Body)
			}
			g.WantNoCalls()
		})
	}
}
