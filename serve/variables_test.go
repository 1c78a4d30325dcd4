package serve_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/test/gatewaytest"
)

// fuzzedDocuments have every kind of input of the schema. Most have one variable, so that an invalid one does not hide
// others.
func fuzzedDocuments() []string {
	return []string{
		`query($v: Int) { deposits(page: $v, perPage: 1) { currentPage } }`,
		`query($v: Int) { withdrawals(first: $v) { nodes { id } } }`,
		`query($v: DepositFilter) { deposits(filter: $v, first: 1) { totalCount pageInfo { endCursor } } }`,
		`query($v: WithdrawalFilter!) { withdrawals(filter: $v, first: 1) { totalCount } }`,
		`query($v: DateTime, $w: Cents, $x: [DepositStatus!]) { deposits(first: 1, filter: {startDate: $v, minAmount: $w, status: $x}) { totalCount } }`,
		`query($v: String) { deposits(first: 2, after: $v) { nodes { id } } }`,
		`query($v: ID!) { transaction(id: $v) { id } withdrawal(id: $v) { id } notification(id: $v) { id } }`,
		`query($v: [ID!]!) { transactions(ids: $v) { id notifications(ids: $v) { links { state } } } }`,
		`query($v: Boolean! = true) { __typename @skip(if: $v) deposits(first: 1) @include(if: $v) { perPage } }`,
	}
}

// FuzzVariables sends any text as the variables of an operation. The response is JSON with data, or with errors whose
// codes are not INTERNAL. A request without data made no calls.
func FuzzVariables(f *testing.F) {
	g := start(f, func(o *options) {
		o.Sandbox.Records, o.Serve.Log = 20, slog.New(slog.DiscardHandler)
	})
	documents := fuzzedDocuments()
	f.Fuzz(func(t *testing.T, document uint8, vars string) {
		text, err := json.Marshal(documents[int(document)%len(documents)])
		must(t, err)
		body := `{"query":` + string(text) + `,"variables":` + vars + `}`
		req := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+g.Token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/graphql-response+json")
		g.Box.ResetCalls()
		recorder := httptest.NewRecorder()
		g.Handler.ServeHTTP(recorder, req)

		var envelope struct {
			Data   json.RawMessage
			Errors []gatewaytest.Error
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &envelope); err != nil || !utf8.Valid(recorder.Body.Bytes()) {
			t.Fatalf("the response to %s is not JSON: %s", body, recorder.Body)
		}
		if (recorder.Code == http.StatusOK) != (len(envelope.Data) > 0) || recorder.Code >= http.StatusInternalServerError {
			t.Errorf("the response to %s has status %d: %s", body, recorder.Code, recorder.Body)
		}
		if len(envelope.Data) == 0 && (len(envelope.Errors) == 0 || len(g.Box.Calls()) > 0) {
			t.Errorf("%s is rejected after %d calls: %s", body, len(g.Box.Calls()), recorder.Body)
		}
		known := []string{
			"BAD_REQUEST", "BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED", "LIMIT_EXCEEDED", "NOT_FOUND", "PAGINATION_UNSUPPORTED",
		}
		for _, err := range envelope.Errors {
			if code, _ := err.Extensions["code"].(string); !slices.Contains(known, code) {
				t.Errorf("the response to %s has the code %s: %s", body, code, recorder.Body)
			}
		}
	})
}

// TestNullConditions: null for the Boolean of @skip or @include is an error of the request, and makes no call, whether
// the field would be written or not. So are invalid documents and variables.
func TestNullConditions(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		for name, document := range map[string]string{
			"two root fields":     `query($x: Boolean = true) { a: deposits { totalCount @include(if: $x) } b: deposits { totalCount @skip(if: $x) } }`,
			"one root field":      `query($x: Boolean = true) { deposits { totalCount @include(if: $x) } }`,
			"a root field itself": `query($x: Boolean = true) { deposits @include(if: $x) { totalCount } }`,
			"in a fragment":       `query($x: Boolean = true) { deposits { ...F } } fragment F on DepositConnection { totalCount @skip(if: $x) }`,
			"around a fragment":   `query($x: Boolean = true) { ...F @include(if: $x) } fragment F on Query { deposits { totalCount } }`,
			"in a list element":   `query($x: Boolean = true) { transaction(id: "` + id + `") { notifications(ids: ["a", "b"]) { links { state @include(if: $x) } } } }`,
		} {
			g.row(name, func(t testing.TB, g *gateway) {
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
			"an Int above 32 bits":               `{ deposits(page: 2147483648) { totalCount } }`,
			"an ID above 64 bits":                `{ transaction(id: 99999999999999999999) { id } }`,
			"an amount above 64 bits":            `{ deposits(filter: { minAmount: 99999999999999999999 }) { totalCount } }`,
			"an infinite amount":                 `{ deposits(filter: { minAmount: 1e999 }) { totalCount } }`,
			"variables of a fragment":            `fragment F($x: Boolean = true) on Query { deposits { totalCount @skip(if: $x) } } { ...F }`,
			"an unsupported directive":           `{ ... @stream { deposits { totalCount } } }`,
			"no condition of @defer":             `{ ... @defer(if: null) { deposits { totalCount } } }`,
			"a variable that is not given":       `query($x: Boolean) { ... @defer(if: $x) { deposits { totalCount } } }`,
			"a label that is a variable":         `query($x: String = "a") { ... @defer(label: $x) { deposits { totalCount } } }`,
			"no label":                           `{ ... @defer(label: null) { deposits { totalCount } } }`,
			"a label of two fragments":           `{ ... @defer(label: "a") { a: deposits { totalCount } } ... @defer(label: """a""") { b: deposits { totalCount } } }`,
			"an object within a list of scalars": `{ transactions(ids: [{}]) { id } }`,
			"an unknown field":                   `{ nothing }`,
			"an unknown argument":                `{ deposits(limit: 5) { page } }`,
			"an unknown enum value":              `{ deposits(filter: { status: [SETTLED] }) { totalCount } }`,
			"a variable without a value":         `query($p: Int!) { deposits(page: $p) { totalCount } }`,
		} {
			g.row(name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				a := g.Query(document)
				if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != "GRAPHQL_VALIDATION_FAILED" || a.Data != nil {
					t.Errorf("%s", a.Body)
				}
				g.WantNoCalls()
			})
		}
		g.wantNoMemory()
	})
}

// TestStrictVariables: a variable of another type is an error of the request, also if gqlparser accepts it.
func TestStrictVariables(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		const filter = `query($v: WithdrawalFilter) { withdrawals(filter: $v) { totalCount } }`
		tests := []struct {
			name, document string
			value          string // JSON
			valid          bool
		}{
			{"a string for an Int", `query($v: Int) { deposits(page: $v) { totalCount } }`, `"5"`, false},
			{"a fraction for an Int", `query($v: Int) { deposits(page: $v) { totalCount } }`, `1.5`, false},
			{"an Int with a fraction of zero", `query($v: Int) { deposits(page: $v) { totalCount } }`, `2.0`, true},
			{"an Int with an exponent", `query($v: Int) { deposits(page: $v) { totalCount } }`, `2e0`, true},
			{"an Int above 32 bits", `query($v: Int) { deposits(page: $v) { totalCount } }`, `2147483648`, false},
			{"true for an Int", `query($v: Int) { deposits(page: $v) { totalCount } }`, `true`, false},
			{"a fraction for an ID", `query($v: ID!) { notification(id: $v) { id } }`, `1.5`, false},
			{"a list of fractions for IDs", `query($v: [ID!]!) { notifications(ids: $v) { id } }`, `["a", 1.5]`, false},
			{"a number for a String", `query($v: String) { deposits(after: $v) { totalCount } }`, `5`, false},
			{"a number for a String in an input", filter, `{"endToEnd": 12345678}`, false},
			{"an unknown field in an input", filter, `{"__typename": "WithdrawalFilter"}`, false},
			{"an enum value in another case", filter, `{"status": ["paid"]}`, false},
			{"a number for an enum value", filter, `{"status": [1]}`, false},
			{"a list for an input", filter, `[{"endToEnd": "12345678"}, {}]`, false},
			{"one value for a list", filter, `{"status": "FAILED"}`, true},
			{"null for an input", filter, `null`, true},
			{"null for a String", filter, `{"endToEnd": null}`, true},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				a := g.Query(tt.document, variables{"v": json.RawMessage(tt.value)})
				if tt.valid {
					a.WantOK()
					return
				}
				if err := a.WantError("GRAPHQL_VALIDATION_FAILED"); a.Data != nil || !strings.HasPrefix(err.Message, "variable $v") {
					t.Errorf("%s", a.Body)
				}
				g.WantNoCalls()
			})
		}
	})
}
