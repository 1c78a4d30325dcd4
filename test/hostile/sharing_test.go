package hostile

import (
	"encoding/json"
	"fmt"
	"testing"
)

// sharing sends documents with operations that share fragments, in both orders. Each response has its own selection,
// and no operation makes more calls than its reported cost. The cached plan of one operation must not be used for the
// other.
func sharing(t *testing.T, g *gateway) {
	notification := g.placeholders.Replace("<notification>")
	total := `"deposits":{"totalCount":50}`
	both := `{"deposits":{"totalCount":50,"totalPages":3}}`
	const (
		spread = `fragment F on Query { deposits { totalCount } } query A { ...F deposits { totalPages } } query B { ...F }`
		linked = `fragment F on Query { notifications(ids: ["<notification>"]) { id } }
			query A { ...F notifications(ids: ["<notification>"]) { transaction { __typename } } } query B { ...F }`
		declared = `query A($x: Boolean!, $y: Boolean!) { ...F } query B($y: Boolean!, $x: Boolean!) { ...F }
			fragment F on Query { deposits { totalCount @include(if: $x) totalPages @include(if: $y) } }`
		defaults = `query A($x: Boolean! = true) { ...F } query B($x: Boolean! = false) { ...F }
			fragment F on Query { deposits { totalCount totalPages @include(if: $x) } }`
	)
	type asked struct{ operation, variables, data string }
	for i, tt := range []struct {
		document string
		one, two asked
	}{
		{spread, asked{"A", `{}`, both}, asked{"B", `{}`, "{" + total + "}"}},
		{
			linked,
			asked{"A", `{}`, `{"notifications":[{"id":"` + notification + `","transaction":{"__typename":"Transaction"}}]}`},
			asked{"B", `{}`, `{"notifications":[{"id":"` + notification + `"}]}`},
		},
		{declared, asked{"A", `{"x":true,"y":false}`, "{" + total + "}"}, asked{"B", `{"x":true,"y":false}`, "{" + total + "}"}},
		{declared, asked{"A", `{"x":true,"y":true}`, both}, asked{"B", `{"x":false,"y":true}`, `{"deposits":{"totalPages":3}}`}},
		{defaults, asked{"A", `{}`, both}, asked{"B", `{}`, "{" + total + "}"}},
	} {
		for order, pair := range [][2]asked{{tt.one, tt.two}, {tt.two, tt.one}} {
			text := fmt.Sprintf("# %d in order %d\n%s", i, order, tt.document) // a different document each time, which is not cached
			for _, ask := range [3]asked{pair[0], pair[1], pair[0]} {
				g.wantCost(t, text, ask.operation, ask.variables, ask.data)
			}
		}
	}
}

// wantCost fails the test if an operation does not return the data, or makes more calls than its reported cost.
func (g *gateway) wantCost(t *testing.T, document, operation, variables, data string) {
	t.Helper()
	before := g.calls()
	body := fmt.Sprintf(`{"query":%s,"operationName":%q,"variables":%s}`, quote(document), operation, variables)
	got := post(body, "X-Pixgraph-Cost: 1")(t, g)
	made := g.calls() - before
	var response struct {
		Data       json.RawMessage
		Extensions struct{ Cost struct{ UpstreamCalls int } }
	}
	if err := json.Unmarshal([]byte(got.body), &response); err != nil {
		t.Fatalf("%v: %.300s", err, got.body)
	}
	if string(response.Data) != data {
		t.Errorf("the response to %s of %s is %.300s, want %s", operation, document, got.body, data)
	}
	if cost := response.Extensions.Cost.UpstreamCalls; made > cost {
		t.Errorf("%s of %s made %d calls, more than the reported %d", operation, document, made, cost)
	}
}
