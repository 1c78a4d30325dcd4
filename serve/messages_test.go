package serve_test

import (
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestMessages: what the first error of a response says to a developer.
func TestMessages(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		const (
			list    = "{ deposits { totalCount } }"
			record  = `{ withdrawal(id: "11111111-1111-4111-8111-111111111111") { id } }`
			filter  = "query($f: DepositFilter) { deposits(filter: $f) { totalCount } }"
			message = "core API returned an invalid response"
		)
		grant := func(change func(*issuer.Grant)) string {
			grant := issuer.Grant{Scopes: []string{"get_dispatcher"}}
			change(&grant)
			return g.Box.Issuer().Mint(grant)
		}
		page := func(text string) sandbox.Fault { return sandbox.Fault{Body: []byte(text)} }
		tests := []struct {
			name, token, document string
			vars                  variables
			fault                 sandbox.Fault
			want                  string
		}{
			{"no token", "-", list, nil, sandbox.Fault{}, "malformed Authorization header or bearer token"},
			{"expired", grant(func(g *issuer.Grant) { g.TTL = -time.Hour }), list, nil, sandbox.Fault{}, "token expired"},
			{"issuer", grant(func(g *issuer.Grant) { g.Claims = variables{"iss": "https://example.com"} }), list, nil, sandbox.Fault{}, "token issuer not accepted"},
			{"audience", grant(func(g *issuer.Grant) { g.Audience = []string{"other"} }), list, nil, sandbox.Fault{}, "token audience not accepted"},
			{"scope", grant(func(g *issuer.Grant) { g.Scopes = nil }), `{ notification(id: "n") { id } }`, nil, sandbox.Fault{}, "token lacks the scope get_dispatcher"},
			{"a type", "", filter, variables{"f": variables{"status": true}}, sandbox.Fault{}, "variable $f.status[0] must be the name of an enum value"},
			{"an enum", "", filter, variables{"f": variables{"status": "SETTLED"}}, sandbox.Fault{}, "variable $f.status[0] is not a value of DepositStatus"},
			{"a field", "", filter, variables{"f": variables{"stat": "PAID"}}, sandbox.Fault{}, "variable $f.stat is an unknown field"},
			{"a number", "", "query($p: Int) { deposits(page: $p) { perPage } }", variables{"p": "1"}, sandbox.Fault{}, "variable $p must be of type Int, not string"},
			{"a missing variable", "", "query($p: Int!) { deposits(page: $p) { totalCount } }", nil, sandbox.Fault{}, "variable $p must be defined"},
			{"a list without its envelope", "", list, nil, page(`{"data":[]}`), message + ": `currentPage` is missing"},
			{"no total", "", list, nil, page(`{"currentPage":1,"perPage":20,"data":[]}`), message + ": `total` is missing"},
			{"a wrong total", "", list, nil, page(`{"total":"1"}`), message + ": `total` is of the wrong JSON type"},
			{"another JSON value", "", list, nil, page("[]"), message + ": the body is of the wrong JSON type"},
			{
				"a record of null", "", "{ deposits { nodes { id } } }", nil, page(`{"currentPage":1,"perPage":20,"data":[null]}`),
				message + ": an element of `data` is of the wrong JSON type",
			},
			{"HTML", "", list, nil, page("<html>"), message + ": the body is not JSON"},
			{"401", "", list, nil, sandbox.Fault{Status: 401}, "core API rejected the token"},
			{"404", "", record, nil, sandbox.Fault{}, "core API has no record with this id"},
			{"429", "", list, nil, sandbox.Fault{Status: 429}, "core API rate limit exceeded"},
			{"500", "", list, nil, sandbox.Fault{Status: 500}, "core API returned a server error"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				if tt.fault.Status != 0 || tt.fault.Body != nil {
					defer g.Box.Inject(tt.fault)()
				}
				token := tt.token
				if token == "" {
					token = g.Token
				}
				if a := g.QueryAs(token, tt.document, tt.vars); len(a.Errors) == 0 || a.Errors[0].Message != tt.want {
					t.Errorf("%s, want %s", a.Body, tt.want)
				}
			})
		}
	})
}
