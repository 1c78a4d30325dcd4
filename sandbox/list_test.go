package sandbox_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
)

// The tests of this file and of route_test.go are about what the contract does not show, so what Config documents as
// the choice of the sandbox. The tests of upstream/contract are about what it shows.

// listPage is the response of a list.
type listPage struct {
	Total, TotalPages, CurrentPage, PerPage int
	Data                                    []struct{ ID string }
}

// list lists records of the core, such as those of /deposit?page=2.
func list(t *testing.T, s *sandbox.Sandbox, path string) listPage {
	t.Helper()
	got := get(t, s, s.CoreURL()+path)
	var p listPage
	if err := json.Unmarshal(got.body, &p); err != nil || got.status != http.StatusOK || p.Data == nil {
		t.Fatalf("%s: status %d, %v", path, got.status, err)
	}
	return p
}

// statuses are the expected statuses of calls, by their addresses.
type statuses map[string]int

func (want statuses) check(t *testing.T, s *sandbox.Sandbox, base string) {
	t.Helper()
	for path, status := range want {
		if got := get(t, s, base+path).status; got != status {
			t.Errorf("%s: status %d, want %d", path, got, status)
		}
	}
}

func TestLists(t *testing.T) {
	run(t, sandbox.Config{Records: 400}, func(t *testing.T, s *sandbox.Sandbox) {
		// four full pages
		for path, entries := range map[string][]*ledger.Entry{"/deposit": s.Ledger().Deposits(), "/withdrawal": s.Ledger().Withdrawals()} {
			if p := list(t, s, path); p.Data[0].ID != entries[0].ID || len(p.Data) != 20 || p.PerPage != 20 {
				t.Errorf("%s: %d records, perPage %d, or the newest is not first", path, len(p.Data), p.PerPage)
			}
			if p := list(t, s, path+"?page=100000&perPage=100"); len(p.Data) != 0 || p.CurrentPage != 100000 || p.Total != len(entries) {
				t.Errorf("%s: beyond the end: %d records, currentPage %d, total %d", path, len(p.Data), p.CurrentPage, p.Total)
			}
			if p := list(t, s, path+"?endDate=1999-01-01T00:00:00Z"); len(p.Data) != 0 || p.Total != 0 || p.TotalPages != 0 || p.CurrentPage != 1 {
				t.Errorf("%s: no records: %+v, want an empty list on page 1 of 0", path, p)
			}
			for query, want := range totals(entries) {
				if got := list(t, s, path+"?"+query).Total; got != want {
					t.Errorf("%s: ?%s: total %d, want %d", path, query, got, want)
				}
			}
			const date = "2024-01-31T10:00:00Z"
			statuses{
				"?page=0": 422, "?page=-1": 422, "?page=": 422, "?page=1&page=2": 422, "?page=2147483648": 422, "?page=2147483647": 200,
				"?perPage=0": 422, "?perPage=1": 200, "?perPage=100": 200, "?perPage=101": 422,
				"?minAmount=100&minAmount=100": 422, "?startDate=" + date + "&startDate=" + date: 422, "?status=%zz": 422,
				"?minAmount=0100": 422, "?minAmount=%2B100": 422, "?minAmount=1e3": 422, "?minAmount=": 422,
				"?startDate=2024-01-31T10:00:00+03:00": 422, "?startDate=2024-01-31T10:00:00%2B03:00": 200,
			}.check(t, s, s.CoreURL()+path)
		}
		id := s.Ledger().Withdrawals()[0].ID
		if p := list(t, s, "/withdrawal?id="+strings.ToUpper(id)); p.Total != 1 || p.Data[0].ID != id {
			t.Errorf("an id in upper case: total %d, want the one withdrawal", p.Total)
		}
	})
}

// totals returns how many records queries find.
func totals(entries []*ledger.Entry) map[string]int {
	middle := entries[len(entries)/2].CreatedAt
	count := func(keep func(time.Time) bool) (n int) {
		for _, e := range entries {
			if keep(e.CreatedAt) {
				n++
			}
		}
		return n
	}
	const form = "2006-01-02T15:04:05.000Z07:00"
	at, local := middle.Format(form), middle.In(time.FixedZone("", -3*60*60)).Format(form)
	return map[string]int{
		"startDate=" + at:                          count(func(t time.Time) bool { return !t.Before(middle) }),
		"endDate=" + at:                            count(func(t time.Time) bool { return !t.After(middle) }),
		"startDate=" + at + "&endDate=" + at:       count(middle.Equal),
		"startDate=" + local + "&endDate=" + local: count(middle.Equal),
		"startDate=" + strings.TrimSuffix(at, "Z") + "&endDate=" + strings.TrimSuffix(at, "Z"): count(middle.Equal),
		"startDate=" + at + "&endDate=2000-01-01T00:00:00Z":                                    0,
		"minAmount=200&maxAmount=100":                                                          0,
		"colour=red&colour=blue":                                                               len(entries),
	}
}

// TestProblem: the body of a 422 has the violations in the order of the contract's table.
func TestProblem(t *testing.T) {
	run(t, sandbox.Config{Records: 1}, func(t *testing.T, s *sandbox.Sandbox) {
		got := get(t, s, s.CoreURL()+"/deposit?maxAmount=0&status=&startDate=x&endDate=2024-01-31T10:00:00Z")
		var p struct {
			StatusCode int
			Message    string
			Errors     []struct{ Field, Message string }
		}
		if err := json.Unmarshal(got.body, &p); err != nil || p.StatusCode != http.StatusUnprocessableEntity || p.Message == "" {
			t.Fatalf("body %s, error %v", got.body, err)
		}
		var fields []string
		for _, e := range p.Errors {
			fields = append(fields, e.Field)
		}
		if want := []string{"startDate", "status", "maxAmount"}; !slices.Equal(fields, want) {
			t.Errorf("errors of %v, want %v", fields, want)
		}
		if length := strconv.Itoa(len(got.body)); got.header.Get("Content-Length") != length || got.header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("header %v, want a length of %s", got.header, length)
		}
	})
}
