package serve_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/test/gatewaytest"
)

// TestSuggestions: an error about an unknown name suggests similar names of the schema if clients can read the schema,
// and none otherwise.
func TestSuggestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, closed := start(t), start(t, func(o *options) { o.Serve.Introspection = false })
		long := strings.Repeat("s", 65)
		const counted = "{ totalCount } }"
		for name, tt := range map[string]struct{ document, message, similar string }{
			"a root field":         {"{ deposit " + counted, `Cannot query field "deposit" on type "Query".`, `"deposits"`},
			"a field":              {"{ deposits { nodes { statuss } } }", `Cannot query field "statuss" on type "Deposit".`, `"status" or "statusRaw"`},
			"in a fragment":        {"{ ...F } fragment F on Query { deposit " + counted, `Cannot query field "deposit" on type "Query".`, `"deposits"`},
			"an argument":          {"{ deposits(perpage: 1) " + counted, `Unknown argument "perpage" on field "Query.deposits".`, `"perPage" or "page"`},
			"a field of a filter":  {"{ deposits(filter: {statu: [PAID]}) " + counted, `Field "statu" is not defined by type "DepositFilter".`, `"status"`},
			"an enum value":        {"{ deposits(filter: {status: [PAYD]}) " + counted, `Value "PAYD" does not exist in "DepositStatus!" enum.`, `"PAID"`},
			"a type of a fragment": {"{ ...F } fragment F on PageInf { __typename }", `Unknown type "PageInf".`, `"PageInfo"`},
			"a type of a variable": {"query($c: Cent) { deposits(filter: {minAmount: $c}) " + counted, `Unknown type "Cent".`, `"Cents" or "Int"`},
			"nothing similar":      {"{ xyzzyxyzzy }", `Cannot query field "xyzzyxyzzy" on type "Query".`, ""},
			"introspection":        {"{ __scheme { types } }", `Cannot query field "__scheme" on type "Query".`, ""},
			"a long name":          {"{ deposits { nodes { " + long + " } } }", `Cannot query field "…" on type "Deposit".`, ""},
		} {
			gatewaytest.Row(t, name, func(t testing.TB) {
				want := tt.message
				if tt.similar != "" {
					want += " Did you mean " + tt.similar + "?"
				}
				if a := open.Query(tt.document); len(a.Errors) == 0 || a.Errors[0].Message != want {
					t.Errorf("%s, want %s", a.Body, want)
				}
				if a := closed.Query(tt.document); len(a.Errors) == 0 || a.Errors[0].Message != tt.message {
					t.Errorf("without introspection: %s, want %s", a.Body, tt.message)
				}
			})
		}
		open.WantNoCalls()
	})
}

// TestOfferedDirectives: introspection lists the directives of the schema and of the specification, and @defer.
func TestOfferedDirectives(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		var names []string
		for _, directive := range g.Query("{ __schema { directives { name } } }").WantOK().At("__schema", "directives").([]any) {
			names = append(names, directive.(map[string]any)["name"].(string))
		}
		if got := strings.Join(names, " "); got != "defer deprecated include oauthScopes oneOf semanticNonNull skip specifiedBy upstreamCalls" {
			t.Error(got)
		}
	})
}
