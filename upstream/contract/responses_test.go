package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/ledger"
)

// recordCount makes three full pages of each kind. They include every form that a record can have, which the tests of
// package ledger and the census check. The default number of records takes a minute with the race detector.
const recordCount = 300

// TestRecords reads every record of a sandbox: the lists page by page, transactions and notifications one by one.
func TestRecords(t *testing.T) {
	t.Parallel() // one of three tests that take seconds
	a, c := start(t, sandbox.Config{Records: recordCount}), newCensus()
	token := a.Token()
	entries := map[string][]*ledger.Entry{
		"/deposit": a.Ledger().Deposits(), "/withdrawal": a.Ledger().Withdrawals(),
		"/transaction/{id}": a.Ledger().Transactions(), "/request/{id}": a.Ledger().Notifications(),
	}
	for _, e := range a.endpoints(t) {
		t.Run(e.OperationID, func(t *testing.T) {
			want := entries[e.path]
			if len(want) == 0 {
				t.Fatal("the sandbox has no such records")
			}
			if strings.HasSuffix(e.path, "{id}") {
				for _, entry := range want {
					status, value := a.call(t, call{endpoint: e, id: entry.ID, bearer: token})
					if record, ok := value.(map[string]any); !ok || status != http.StatusOK || record["id"] != entry.ID {
						t.Fatalf("%s: status %d, or another record", entry.ID, status)
					}
					c.walk(content(e), value)
				}
				return
			}
			var read []any
			for page, pages := 1, 1; page <= pages; page++ {
				query := url.Values{"page": {strconv.Itoa(page)}, "perPage": {"100"}}
				status, value := a.call(t, call{endpoint: e, query: query, bearer: token})
				if status != http.StatusOK {
					t.Fatalf("page %d: status %d", page, status)
				}
				c.walk(content(e), value)
				envelope, records := list(t, value)
				pages, _ = strconv.Atoi(fmt.Sprint(envelope["totalPages"]))
				read = append(read, records...)
			}
			if len(read) != len(want) {
				t.Fatalf("%d records read, want %d", len(read), len(want))
			}
			for i, record := range read {
				if record.(map[string]any)["id"] != want[i].ID {
					t.Fatalf("record %d has another id", i)
				}
			}
		})
	}
	c.check(t, a.document)
}

// content returns the schema of the successful responses of an operation.
func content(e endpoint) *openapi3.SchemaRef {
	return e.Responses.Value("200").Value.Content["application/json"].Schema
}

// filterSources holds the path of the member that a filter compares, for filters with another name than their member. The
// sandbox chose the member for the dates (spec 4.5).
var filterSources = map[string]string{
	"startDate": "createdAt", "endDate": "createdAt", "minAmount": "amount", "maxAmount": "amount", "pixKey": "pixKey.key",
}

// TestFilters lists with each filter of the document, by the value of a record.
func TestFilters(t *testing.T) {
	a := start(t, sandbox.Config{Records: 100})
	for _, e := range a.endpoints(t) {
		if strings.HasSuffix(e.path, "{id}") {
			continue
		}
		_, value := a.call(t, call{endpoint: e, query: url.Values{"perPage": {"100"}}, bearer: a.Token()})
		_, records := list(t, value)
		for _, parameter := range e.Parameters {
			name := parameter.Value.Name
			t.Run(e.OperationID+"/"+name, func(t *testing.T) {
				source := filterSources[name]
				if source == "" {
					source = name
				}
				query := url.Values{"perPage": {"3"}}
				for _, record := range records {
					text, ok := memberOf(record, source)
					query.Set(name, text)
					if ok && a.validate(t, call{endpoint: e, query: query}) == nil {
						break
					}
					query.Del(name)
				}
				if !query.Has(name) {
					t.Fatalf("no record has a valid %s", source)
				}
				status, value := a.call(t, call{endpoint: e, query: query, bearer: a.Token()})
				if status != http.StatusOK {
					t.Fatalf("status %d", status)
				}
				if _, found := list(t, value); len(found) == 0 {
					t.Error("the filter does not find the record")
				}
			})
		}
	}
}

// memberOf returns the text or number at a path of a record.
func memberOf(record any, path string) (string, bool) {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := record.(map[string]any)
		record = object[name]
	}
	switch value := record.(type) {
	case string:
		return value, value != ""
	case json.Number:
		return value.String(), true
	}
	return "", false
}
