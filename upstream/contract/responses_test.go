package contract_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"pixgraph/sandbox"
)

// recordCount makes two full pages of each kind. They have every form that a record can have. The default number of
// records takes a minute with the race detector.
const recordCount = 200

// TestRecords reads every record of a sandbox: the lists page by page, transactions and notifications one by one. They
// have everything that the document has. Of another implementation it reads a page of each list, and one of the other
// records.
func TestRecords(t *testing.T) {
	t.Parallel() // one of three tests that take seconds
	for name, seed := range map[string]uint64{"the default seed": 0, "another seed": 20260630} {
		t.Run(name, func(t *testing.T) {
			a, c := target(t, sandbox.Config{Records: recordCount, Seed: seed}), newCensus()
			for _, e := range a.endpoints(t) {
				t.Run(e.OperationID, func(t *testing.T) {
					switch {
					case a.Sandbox == nil && e.lookup():
						a.read(t, e, a.ids[e.path])
					case a.Sandbox == nil:
						a.list(t, e, nil)
					case e.lookup():
						for _, entry := range a.entries(t, e) {
							c.walk(e.answer(), a.read(t, e, entry.ID))
						}
					default:
						a.readPages(t, e, c)
					}
				})
			}
			if a.Sandbox != nil {
				c.check(t, a.document)
			}
		})
	}
}

// read reads a record by its id.
func (a *api) read(t *testing.T, e endpoint, id string) any {
	t.Helper()
	status, value := a.call(t, call{endpoint: e, id: id, bearer: a.token})
	if record, ok := value.(map[string]any); !ok || status != http.StatusOK || record["id"] != id {
		t.Fatalf("%s: status %d, or another record", id, status)
	}
	return value
}

// readPages reads a list of the sandbox: each record is on one page, in the order of the ledger.
func (a *api) readPages(t *testing.T, e endpoint, c *census) {
	t.Helper()
	want := a.entries(t, e)
	read := 0
	for number, pages := 1, 1; number <= pages; number++ {
		query := url.Values{"page": {strconv.Itoa(number)}, "perPage": {"100"}}
		p := a.list(t, e, query)
		if p.currentPage != number || p.perPage != 100 || p.total != len(want) {
			t.Errorf("page %d: %d of %d, perPage %d, total %d", number, p.currentPage, p.totalPages, p.perPage, p.total)
		}
		c.walk(e.answer(), p.value)
		for _, record := range p.records {
			if read >= len(want) || record.(map[string]any)["id"] != want[read].ID {
				t.Fatalf("record %d has another id", read)
			}
			read++
		}
		pages = p.totalPages
	}
	if read != len(want) {
		t.Errorf("%d records read, want %d", read, len(want))
	}
}
