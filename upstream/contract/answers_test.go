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

// recordsRead makes three full pages of each kind. Every shape that a record can have is among as many, which the tests of
// package ledger and the census check. The default number of records takes a minute with the race detector.
const recordsRead = 300

// TestEveryRecord reads every record of a sandbox: the lists page by page, transactions and notifications one by one.
func TestEveryRecord(t *testing.T) {
	t.Parallel() // one of three that take seconds
	a, c := start(t, sandbox.Config{Records: recordsRead}), newCensus()
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
					status, value := a.answer(t, call{endpoint: e, id: entry.ID, bearer: token})
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
				status, value := a.answer(t, call{endpoint: e, query: query, bearer: token})
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
					t.Fatalf("record %d is another one", i)
				}
			}
		})
	}
	c.check(t, a.document)
}

// content is the schema of an operation's good answers.
func content(e endpoint) *openapi3.SchemaRef {
	return e.Responses.Value("200").Value.Content["application/json"].Schema
}

// filterSources are the members of a record, by a path of names, that a filter of another name is about. Other filters are
// about the member of their name. What the dates apply to is the sandbox's choice (spec 4.5).
var filterSources = map[string]string{
	"startDate": "createdAt", "endDate": "createdAt", "minAmount": "amount", "maxAmount": "amount", "pixKey": "pixKey.key",
}

// TestEveryFilter lists by each filter of the document, with the value of a record.
func TestEveryFilter(t *testing.T) {
	a := start(t, sandbox.Config{Records: 100})
	for _, e := range a.endpoints(t) {
		if strings.HasSuffix(e.path, "{id}") {
			continue
		}
		_, value := a.answer(t, call{endpoint: e, query: url.Values{"perPage": {"100"}}, bearer: a.Token()})
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
					if ok && a.refusal(t, call{endpoint: e, query: query}) == nil {
						break
					}
					query.Del(name)
				}
				if !query.Has(name) {
					t.Fatalf("no record has a %s to list by", source)
				}
				status, value := a.answer(t, call{endpoint: e, query: query, bearer: a.Token()})
				if status != http.StatusOK {
					t.Fatalf("status %d", status)
				}
				if _, found := list(t, value); len(found) == 0 {
					t.Error("the record is not found by its own value")
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
