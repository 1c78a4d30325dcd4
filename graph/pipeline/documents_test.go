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
