package pipeline_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// operationRun is a run of an operation, and its expected response and call.
type operationRun struct {
	operation string
	vars      variables
	want      string // the keys of deposits in the response
	query     string // of the call
}

// TestOperationsOfOneDocument: a cached plan belongs to an operation of a document and its variables, in whatever order the
// operations run.
func TestOperationsOfOneDocument(t *testing.T) {
	tests := []struct {
		name, document string
		runs           []operationRun
	}{
		{"a fragment of two operations", `fragment F on Query { deposits { totalCount } }
			query A { ...F deposits { totalPages perPage } } query B { ...F } query C { deposits { currentPage } ...F }`, []operationRun{
			{"A", nil, "totalCount totalPages perPage", ""}, {"B", nil, "totalCount", ""}, {"C", nil, "currentPage totalCount", ""},
		}},
		{"Booleans in another order", `fragment F on Query { deposits { totalCount @include(if: $x) totalPages @include(if: $y) perPage } }
			query A($x: Boolean!, $y: Boolean!) { ...F } query B($y: Boolean!, $x: Boolean!) { ...F }`, []operationRun{
			{"A", variables{"x": true, "y": false}, "totalCount perPage", ""}, {"B", variables{"x": true, "y": false}, "totalCount perPage", ""},
			{"A", variables{"x": false, "y": true}, "totalPages perPage", ""}, {"B", variables{"x": false, "y": true}, "totalPages perPage", ""},
		}},
		{"a condition around the fragment", `fragment F on Query { deposits { totalCount } }
			query A($x: Boolean!) { deposits { perPage } ...F @include(if: $x) }`, []operationRun{
			{"A", variables{"x": true}, "perPage totalCount", ""}, {"A", variables{"x": false}, "perPage", ""},
		}},
		{"a fragment with two spreads", `fragment F on Query { deposits { totalCount } }
			query A($x: Boolean!, $y: Boolean!) { deposits { perPage } ...F @include(if: $x) ...F @include(if: $y) }`, []operationRun{
			{"A", variables{"x": false, "y": false}, "perPage", ""}, {"A", variables{"x": false, "y": true}, "perPage totalCount", ""},
			{"A", variables{"x": true, "y": false}, "perPage totalCount", ""},
		}},
		{"a default of one operation", `fragment F on Query { deposits(filter: { minAmount: $m }) { totalCount perPage @include(if: $x) } }
			query A($m: Cents, $x: Boolean = true) { ...F } query B($m: Cents = 700, $x: Boolean = false) { ...F }`, []operationRun{
			{"A", nil, "totalCount perPage", ""}, {"B", nil, "totalCount", "minAmount=700"},
			{"A", variables{"m": 5}, "totalCount perPage", "minAmount=5"}, {"B", variables{"x": true}, "totalCount perPage", "minAmount=700"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for turn := range tt.runs { // each run is the first of a gateway
				g := start(t)
				for i := range 2 * len(tt.runs) {
					g.wantRun(tt.document, tt.runs[(turn+i)%len(tt.runs)])
				}
			}
		})
	}
}

// wantRun runs an operation of a document and fails the test unless the response and the call are as expected.
func (g *gateway) wantRun(document string, a operationRun) {
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
		g.T.Errorf("%s %v returns %q with %d calls %v, want %q", a.operation, a.vars, keys, len(calls), calls, a.want)
	}
}

// keysInOrder are the keys of an object, separated by spaces.
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
