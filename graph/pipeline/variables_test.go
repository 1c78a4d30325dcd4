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

	"pixgraph/auth"
	"pixgraph/graph/pipeline"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
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
	handler, box := fuzzedGateway(f)
	token, documents := box.Token(), fuzzedDocuments()
	f.Fuzz(func(t *testing.T, document uint8, vars string) {
		text, err := json.Marshal(documents[int(document)%len(documents)])
		must(t, err)
		body := `{"query":` + string(text) + `,"variables":` + vars + `}`
		req := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/graphql-response+json")
		box.ResetCalls()
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, req)

		var answered struct {
			Data   json.RawMessage
			Errors []graphError
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answered); err != nil || !utf8.Valid(recorder.Body.Bytes()) {
			t.Fatalf("%s is answered with no JSON: %s", body, recorder.Body)
		}
		if (recorder.Code == http.StatusOK) != (len(answered.Data) > 0) || recorder.Code >= http.StatusInternalServerError {
			t.Errorf("%s is answered with %d: %s", body, recorder.Code, recorder.Body)
		}
		if len(answered.Data) == 0 && (len(answered.Errors) == 0 || len(box.Calls()) > 0) {
			t.Errorf("%s is refused after %d calls: %s", body, len(box.Calls()), recorder.Body)
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

// fuzzedGateway is a gateway without a server around it.
func fuzzedGateway(f *testing.F) (http.Handler, *sandbox.Sandbox) {
	f.Helper()
	box, err := sandbox.Start(sandbox.Config{Records: 20, MoveEvery: -1})
	fuzzMust(f, err)
	f.Cleanup(func() { _ = box.Close() })
	log := slog.New(slog.DiscardHandler)
	authenticator, err := auth.New(auth.Config{Issuers: []string{box.IssuerURL()}, Audiences: []string{box.Audience()}, Log: log})
	fuzzMust(f, err)
	f.Cleanup(authenticator.Close)
	apis, err := client.New(client.Config{
		CoreURL: box.CoreURL(), DispatcherURL: box.DispatcherURL(), PageParam: "page", PerPageParam: "perPage",
	})
	fuzzMust(f, err)
	f.Cleanup(apis.Close)
	handler, err := pipeline.New(pipeline.Config{
		Client: apis, Authenticator: authenticator, Log: log, MetadataPointer: upstream.Pointer{"notificationIds"},
	})
	fuzzMust(f, err)
	f.Cleanup(handler.Close)
	return handler, box
}

func fuzzMust(f *testing.F, err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}
