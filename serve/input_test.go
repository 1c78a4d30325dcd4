package serve_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestInvalidInput: invalid input is an error of its field, which names the input, and makes no call.
func TestInvalidInput(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		cursor := g.Query("{ deposits(first: 5) { pageInfo { endCursor } } }").WantOK().Text("deposits", "pageInfo", "endCursor")
		long := strings.Repeat("é", 256)
		tests := []struct {
			name, document string
			vars           variables
			path           string // of the field
			input          string // in extensions.input
		}{
			{"transaction id", `{ transaction(id: "nonsense") { id } }`, nil, "transaction", "id"},
			{"transaction id in braces", `{ transaction(id: "{00000000-0000-4000-8000-000000000000}") { id } }`, nil, "transaction", "id"},
			{"transaction id as a number", `{ transaction(id: 5) { id } }`, nil, "transaction", "id"},
			{"withdrawal id of another version", `{ withdrawal(id: "00000000-0000-1000-8000-000000000000") { id } }`, nil, "withdrawal", "id"},
			{"empty notification id", `{ notification(id: "") { id } }`, nil, "notification", "id"},
			{"notification id that is a path", `{ notification(id: "..") { id } }`, nil, "notification", "id"},
			{"notification id with CRLF", `{ notification(id: "a\r\nHost: b") { id } }`, nil, "notification", "id"},
			{"notification id that is too long", `query($id: ID!) { notification(id: $id) { id } }`, variables{"id": strings.Repeat("a", 1025)}, "notification", "id"},
			{"no ids", `{ transactions(ids: []) { id } }`, nil, "transactions", "ids"},
			{"51 ids", `query($ids: [ID!]!) { notifications(ids: $ids) { id } }`, variables{"ids": make([]int, 51)}, "notifications", "ids"},

			{"start date without time", `{ deposits(filter: {startDate: "2026-01-31"}) { totalCount } }`, nil, "deposits", "filter.startDate"},
			{"end date with month 13", `{ deposits(filter: {endDate: "2026-13-01T00:00:00Z"}) { totalCount } }`, nil, "deposits", "filter.endDate"},
			{"date in a variable", `query($f: DepositFilter) { deposits(filter: $f) { totalCount } }`,
				variables{"f": variables{"startDate": "yesterday"}}, "deposits", "filter.startDate"},
			{"empty list of statuses", `{ deposits(filter: {status: []}) { totalCount } }`, nil, "deposits", "filter.status"},
			{"duplicate status", `{ deposits(filter: {status: [PAID, PAID]}) { totalCount } }`, nil, "deposits", "filter.status"},
			{"status UNKNOWN", `{ withdrawals(filter: {status: [UNKNOWN]}) { totalCount } }`, nil, "withdrawals", "filter.status"},
			{"empty list of origins", `{ deposits(filter: {depositOrigin: []}) { totalCount } }`, nil, "deposits", "filter.depositOrigin"},
			{"deposit amount 0", `{ deposits(filter: {minAmount: 0}) { totalCount } }`, nil, "deposits", "filter.minAmount"},
			{"deposit amount above the maximum", `{ deposits(filter: {maxAmount: 10000001}) { totalCount } }`, nil, "deposits", "filter.maxAmount"},
			{"withdrawal amount below the minimum", `{ withdrawals(filter: {minAmount: 9}) { totalCount } }`, nil, "withdrawals", "filter.minAmount"},
			{"amount with a fraction", `{ withdrawals(filter: {maxAmount: 12.5}) { totalCount } }`, nil, "withdrawals", "filter.maxAmount"},
			{"amount above 64 bits", `query($a: Cents) { withdrawals(filter: {maxAmount: $a}) { totalCount } }`,
				variables{"a": 1e300}, "withdrawals", "filter.maxAmount"},
			{"amount as a text", `{ deposits(filter: {minAmount: "+1"}) { totalCount } }`, nil, "deposits", "filter.minAmount"},
			{"id in a filter", `{ withdrawals(filter: {id: "x"}) { totalCount } }`, nil, "withdrawals", "filter.id"},
			{"CPF with an invalid check digit", `{ withdrawals(filter: {pixKey: "52998224724"}) { totalCount } }`, nil, "withdrawals", "filter.pixKey"},
			{"endToEnd that is too short", `{ withdrawals(filter: {endToEnd: "1234567"}) { totalCount } }`, nil, "withdrawals", "filter.endToEnd"},
			{"externalCode that is too long", `query($c: String) { withdrawals(filter: {externalCode: $c}) { totalCount } }`,
				variables{"c": long}, "withdrawals", "filter.externalCode"},

			{"pages and cursors", `{ deposits(page: 1, first: 5) { totalCount } }`, nil, "deposits", "page and perPage"},
			{"page 0", `{ deposits(page: 0) { totalCount } }`, nil, "deposits", "page"},
			{"perPage 101", `{ deposits(perPage: 101) { totalCount } }`, nil, "deposits", "perPage"},
			{"negative first", `{ withdrawals(first: -1) { totalCount } }`, nil, "withdrawals", "first"},
			{"an invalid cursor", `{ deposits(after: "abc") { totalCount } }`, nil, "deposits", "after"},
			{"a changed cursor", fmt.Sprintf(`{ deposits(after: %q) { totalCount } }`, "B"+cursor[1:]), nil, "deposits", "after"},
			{"a cursor of another filter", fmt.Sprintf(`{ deposits(after: %q, filter: {minAmount: 5}) { totalCount } }`, cursor), nil, "deposits", "after"},
			{"a cursor of another list", fmt.Sprintf(`{ withdrawals(after: %q) { totalCount } }`, cursor), nil, "withdrawals", "after"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				a := g.Query(tt.document, tt.vars)
				err := a.WantError("BAD_USER_INPUT", tt.path)
				if err.Extensions["input"] != tt.input || err.Extensions["retryable"] != false {
					t.Errorf("%q: %v, want input %s", err.Message, err.Extensions, tt.input)
				}
				if !strings.HasPrefix(err.Message, tt.input) {
					t.Errorf("the message does not begin with the input: %q", err.Message)
				}
				if len(a.Errors) != 1 || fmt.Sprint(err.Locations) != fmt.Sprintf("[{1 %d}]", strings.Index(tt.document, tt.path+"(")+1) {
					t.Errorf("%+v", a.Errors)
				}
				g.WantNoCalls()
			})
		}
	})
}

// TestDateOfTheError: the error about a date without a time has an example, which is accepted and reaches the API
// unchanged.
func TestDateOfTheError(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		const byVariable = `query($date: DateTime) { withdrawals(filter: {endDate: $date}) { totalCount } }`
		for name, query := range map[string]func(date string) response{
			"a literal": func(date string) response {
				return g.Query(fmt.Sprintf(`{ withdrawals(filter: {endDate: %q}) { totalCount } }`, date))
			},
			"a variable": func(date string) response { return g.Query(byVariable, variables{"date": date}) },
			"in a filter": func(date string) response {
				return g.Query(`query($f: WithdrawalFilter) { withdrawals(filter: $f) { totalCount } }`, variables{"f": variables{"endDate": date}})
			},
		} {
			g.row(name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				err := query("2026-11-22").WantError("BAD_USER_INPUT", "withdrawals")
				example := regexp.MustCompile(`such as (\S+);`).FindStringSubmatch(err.Message)
				if err.Extensions["input"] != "filter.endDate" || example == nil {
					t.Fatalf("%q, %v", err.Message, err.Extensions)
				}
				g.WantNoCalls()
				query(example[1]).WantOK()
				if calls := g.Box.Calls(); len(calls) != 1 || calls[0].Query.Get("endDate") != example[1] {
					t.Errorf("sent %v, want %s", calls, example[1])
				}
			})
		}
	})
}

// TestFilters: the parameters of a call are those of the filter.
func TestFilters(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		tests := []struct{ name, field, query string }{
			{"dates", `deposits(filter: {startDate: "2026-01-01T00:00:00.5+03:00", endDate: "2026-12-31T23:59Z"})`,
				"endDate=2026-12-31T23%3A59Z&startDate=2026-01-01T00%3A00%3A00.5%2B03%3A00"},
			{"arrays", `deposits(filter: {status: [PAID, BLOCKED], depositOrigin: [PIX_KEY]})`, "depositOrigin=PIX_KEY&status=PAID&status=BLOCKED"},
			{"amounts", `deposits(filter: {minAmount: 1, maxAmount: 10000000})`, "maxAmount=10000000&minAmount=1"},
			{"amounts in strings", `deposits(filter: {minAmount: "1", maxAmount: "10000000"})`, "maxAmount=10000000&minAmount=1"},
			{"phone", `withdrawals(filter: {pixKey: "+5511987654321"})`, "pixKey=%2B5511987654321"},
			{"CNPJ of twelve equal digits", `withdrawals(filter: {pixKey: "11111111111180"})`, "pixKey=11111111111180"},
			{"e-mail", `withdrawals(filter: {pixKey: "ana+pix@example.com"})`, "pixKey=ana%2Bpix%40example.com"},
			{"codes", `withdrawals(filter: {endToEnd: "E1&x=1 é", endToEndRefund: "12345678", externalCode: "código #1"})`,
				"endToEnd=E1%26x%3D1+%C3%A9&endToEndRefund=12345678&externalCode=c%C3%B3digo+%231"},
			{"nulls", `deposits(filter: {status: null, minAmount: null}, page: null)`, ""},
			{"a page", `deposits(filter: {minAmount: 7}, page: 2, perPage: 3)`, "minAmount=7&page=2&perPage=3"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				g.Query("{ " + tt.field + " { totalCount } }").WantOK()
				calls := g.Box.Calls()
				if len(calls) != 1 {
					t.Fatalf("%d calls", len(calls))
				}
				want, err := url.ParseQuery(tt.query)
				must(t, err)
				if fmt.Sprint(calls[0].Query) != fmt.Sprint(want) {
					t.Errorf("sent %s, want %s", calls[0].RawQuery, tt.query)
				}
			})
		}
	})
}
