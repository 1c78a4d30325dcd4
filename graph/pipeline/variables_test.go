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
