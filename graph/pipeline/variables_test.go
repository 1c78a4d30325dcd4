package pipeline_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/internal/gatewaytest"
)

// fuzzedDocuments have every kind of input that the schema has, one variable each, so that one that is refused does not
// hide the others.
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

// FuzzVariables sends any text as the variables of an operation. The answer is always JSON, with data, or with errors that
// have codes, of which none is of a bug of ours; and a request that is refused made no calls.
func FuzzVariables(f *testing.F) {
	g := start(f, func(o *options) {
		o.Sandbox.Records, o.Pipeline.Log = 20, slog.New(slog.DiscardHandler)
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

		var answered struct {
			Data   json.RawMessage
			Errors []gatewaytest.Error
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answered); err != nil || !utf8.Valid(recorder.Body.Bytes()) {
			t.Fatalf("%s is answered with no JSON: %s", body, recorder.Body)
		}
		if (recorder.Code == http.StatusOK) != (len(answered.Data) > 0) || recorder.Code >= http.StatusInternalServerError {
			t.Errorf("%s is answered with %d: %s", body, recorder.Code, recorder.Body)
		}
		if len(answered.Data) == 0 && (len(answered.Errors) == 0 || len(g.Box.Calls()) > 0) {
			t.Errorf("%s is refused after %d calls: %s", body, len(g.Box.Calls()), recorder.Body)
		}
		known := []string{
			"BAD_REQUEST", "BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED", "LIMIT_EXCEEDED", "NOT_FOUND", "PAGINATION_UNSUPPORTED",
		}
		for _, err := range answered.Errors {
			if code, _ := err.Extensions["code"].(string); !slices.Contains(known, code) {
				t.Errorf("%s is answered with %s: %s", body, code, recorder.Body)
			}
		}
	})
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
