package serve_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/graph/guard/limits"
	"pixgraph/request"
	"pixgraph/serve"
	"pixgraph/web/operations"
)

// TestCheckerAgreesWithGateway: the checker accepts and rejects the operations that a gateway does, and the cost of an
// accepted operation is within its bounds.
func TestCheckerAgreesWithGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := limits.Config{MaxCost: 120, Fields: 60}
		checker, err := serve.NewChecker(config, serve.Features{Live: true})
		must(t, err)
		g := start(t, func(o *options) { o.Serve.Limits = config })
		type sample struct {
			name, document string
			variables      variables
		}
		samples := []sample{
			{"no calls", "{ __typename }", nil},
			{"a list", "{ deposits { totalCount } }", nil},
			{"a cursor", "query($c: String) { deposits(after: $c) { totalCount } }", variables{"c": "x"}},
			{"ids", "query($ids: [ID!]!) { transactions(ids: $ids) { id } }", variables{"ids": []string{"a", "b"}}},
			{"pages", "query($n: Int! = 7) { depositSummary(maxPages: $n) { complete } }", nil},
			{"a condition", "query($on: Boolean!) { deposits @include(if: $on) { totalCount } }", variables{"on": true}},
			{"above the limit of the cost", "{ depositSummary(maxPages: 121) { complete } }", nil},
			{"above the limit of fields", "{" + strings.Repeat("__typename ", 61) + "}", nil},
			{"an unknown field", "{ nope }", nil},
			{"a missing argument", "{ transaction { id } }", nil},
			{"an unused fragment", "{ __typename } fragment F on Deposit { id }", nil},
			{"a fragment that spreads itself", "{ ...F } fragment F on Query { ...F }", nil},
			{"an object for a scalar", "{ transaction(id: {}) { id } }", nil},
			{"half a surrogate pair", `{ transaction(id: "\ud800") { id } }`, nil},
			{"a syntax error", "{", nil},
			{"a mutation", "mutation { a }", nil},
		}
		for _, o := range operations.All(operations.Gateway{PageNumber: true, PageSize: true}) {
			values := variables{}
			maps.Copy(values, o.Variables)
			for name := range o.IDs {
				values[name] = "00000000-0000-4000-8000-000000000000"
			}
			samples = append(samples, sample{o.Name, o.Text, values})
		}
		for _, s := range samples {
			g.row(s.name, func(t testing.TB, g *gateway) {
				response := g.QueryWith(http.Header{limits.HeaderCost: {"1"}}, s.document, s.variables)
				var shown struct{ Extensions struct{ Cost *request.Cost } }
				must(t, json.Unmarshal(response.Body, &shown))
				cost := shown.Extensions.Cost
				document, err := checker.Measure(s.document)
				if err == nil {
					if errs := checker.Validate(document); len(errs) > 0 {
						err = errs
					}
				}
				if err != nil {
					if response.Data != nil || cost != nil {
						t.Errorf("rejected by the checker (%v), but the gateway responds %s", err, response.Body)
					}
					return
				}
				operation := document.Operations[0]
				lowest, highest, err := checker.Cost(document, operation)
				if err != nil {
					if len(response.Errors) != 1 || response.Errors[0].Extensions["limit"] != limits.LimitCost {
						t.Errorf("rejected by the checker (%v), but the gateway responds %s", err, response.Body)
					}
					return
				}
				if operation.Operation == "subscription" {
					return // a gateway rejects it over JSON, in any case
				}
				if cost == nil || cost.UpstreamCalls < lowest.UpstreamCalls || cost.UpstreamCalls > highest.UpstreamCalls || response.Data == nil {
					t.Errorf("%d to %d calls by the checker, but the gateway responds %s", lowest.UpstreamCalls, highest.UpstreamCalls, response.Body)
				}
			})
		}
	})
}
