package summary_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
	"pixgraph/test/gatewaytest"
)

// page matches the calls for a page, of which the first is requested without a number.
func page(n int) func(*http.Request) bool {
	return func(r *http.Request) bool { return cmp.Or(r.URL.Query().Get("page"), "1") == strconv.Itoa(n) }
}

// replaced changes the first match of a pattern in a body.
func replaced(pattern, by string) func([]byte) []byte {
	expression := regexp.MustCompile(pattern)
	return func(body []byte) []byte {
		at := expression.FindIndex(body)
		if at == nil {
			panic("no " + pattern)
		}
		return slices.Concat(body[:at[0]], []byte(by), body[at[1]:])
	}
}

// TestIncomplete: whatever goes wrong with one of five pages, the sums are those of the records that were read, each
// once, and the summary says that they are not those of the whole list. The response is the same each time, although
// pages are read in parallel.
func TestIncomplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, func(o *options) {
			o.Sandbox.Records, o.Sandbox.MaxPerPage, o.Sandbox.ClampPerPage = 90, 20, true
			o.Upstream.Breaker.Percent = 0 // one caller has all of these failures
		})
		entries := g.Box.Ledger().Deposits()
		first := entries[0].ID
		without := func(removed ...int) []*ledger.Entry {
			kept := slices.Clone(entries)
			slices.Reverse(removed)
			for _, i := range removed {
				kept = slices.Delete(kept, i, i+1)
			}
			return kept
		}
		for _, tt := range []struct {
			name       string
			fault      sandbox.Fault
			arguments  string
			summed     []*ledger.Entry
			pages      int
			unreadable int
			reason     string
			code       string // of the error; "" for none
		}{
			{
				"a page fails", sandbox.Fault{Match: page(3), Status: 500}, "",
				entries[:40], 2, 0, "PAGE_FAILED", "UPSTREAM_ERROR",
			},
			{
				"two pages fail", sandbox.Fault{Match: func(r *http.Request) bool { return page(4)(r) || page(2)(r) }, Status: 503}, "",
				entries[:20], 1, 0, "PAGE_FAILED", "UPSTREAM_ERROR",
			},
			{
				"the token is no longer accepted", sandbox.Fault{Match: page(2), Status: 401}, "",
				entries[:20], 1, 0, "PAGE_FAILED", "UNAUTHENTICATED",
			},
			{
				"a page is not JSON", sandbox.Fault{Match: page(5), Kind: sandbox.FaultBadJSON}, "",
				entries[:80], 4, 0, "PAGE_FAILED", "UPSTREAM_INVALID_RESPONSE",
			},
			{
				"a page lacks its records", sandbox.Fault{Match: page(2), Mutate: replaced(`"data":`, `"date":`)}, "",
				entries[:20], 1, 0, "PAGE_FAILED", "UPSTREAM_INVALID_RESPONSE",
			},
			{
				"another page", sandbox.Fault{Match: page(3), Mutate: replaced(`"currentPage":3`, `"currentPage":2`)}, "",
				entries[:40], 2, 0, "PAGING_UNKNOWN", "PAGINATION_UNSUPPORTED",
			},
			{
				"the total changes", sandbox.Fault{Match: page(4), Mutate: replaced(`"total":\d+`, `"total":91`)}, "",
				entries, 5, 0, "TOTAL_CHANGED", "",
			},
			{
				"a record is on two pages", sandbox.Fault{Match: page(2), Mutate: replaced(`"id":"[^"]*"`, `"id":"`+first+`"`)}, "",
				without(20), 5, 0, "RECORD_REPEATED", "",
			},
			{
				"an empty page", sandbox.Fault{Match: page(3), Mutate: replaced(`(?s)"data":\[.*\]`, `"data":[]`)}, "",
				entries[:40], 3, 0, "COUNT_MISMATCH", "",
			},
			{
				"an amount is a text", sandbox.Fault{Match: page(5), Mutate: replaced(`"amount":\d+`, `"amount":"1"`)}, "",
				without(80), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"an amount is missing", sandbox.Fault{Match: page(1), Mutate: replaced(`"amount":\d+,`, ``)}, "",
				without(0), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"an id is null", sandbox.Fault{Match: page(1), Mutate: replaced(`"id":"[^"]*"`, `"id":null`)}, "",
				without(0), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"an id is empty", sandbox.Fault{Match: page(1), Mutate: replaced(`"id":"[^"]*"`, `"id":""`)}, "",
				without(0), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"an invalid record is on each page", sandbox.Fault{Mutate: func(body []byte) []byte {
					return replaced(`"amount":\d+`, `"amount":"1"`)(replaced(`"id":"[^"]*"`, `"id":"`+first+`"`)(body))
				}}, "",
				without(0, 20, 40, 60, 80), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"a record is no object", sandbox.Fault{Match: page(5), Mutate: replaced(`"data":\[`, `"data":[7,`)}, "",
				entries, 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"a status is a number", sandbox.Fault{Match: page(2), Mutate: replaced(`"status":"[^"]*"`, `"status":5`)}, "groupBy: [STATUS]",
				without(20), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"a day is not known", sandbox.Fault{Match: page(2), Mutate: replaced(`"createdAt":"[^"]*"`, `"createdAt":"2026-01-01T00:00:00.000"`)},
				"groupBy: [DAY]", without(20), 5, 1, "RECORD_UNREADABLE", "",
			},
			{
				"no origin", sandbox.Fault{Match: page(1), Mutate: replaced(`"depositOrigin":"[^"]*"`, `"depositOrigin":null`)}, "groupBy: [ORIGIN]",
				without(0), 5, 1, "RECORD_UNREADABLE", "",
			},
			{"a limit of pages", sandbox.Fault{Match: page(9)}, "maxPages: 4", entries[:80], 4, 0, "PAGE_LIMIT", ""},
			{"a limit of one page", sandbox.Fault{Match: page(9)}, "maxPages: 1", entries[:20], 1, 0, "PAGE_LIMIT", ""},
			{"the last page is the limit", sandbox.Fault{Match: page(9)}, "maxPages: 5", entries, 5, 0, "", ""},
		} {
			gatewaytest.Row(t, tt.name, func(t testing.TB) {
				g, l := g.Within(t), lists[0]
				defer g.Box.Inject(tt.fault)()
				arguments := ""
				if tt.arguments != "" {
					arguments = "(" + tt.arguments + ")"
				}
				all, _ := l.sumsOf(t, tt.summed, "UTC")
				var last []byte
				for range 3 {
					r := g.QueryWith(http.Header{"X-Request-Id": {"same"}}, l.document(arguments))
					if tt.code == "" {
						r.WantOK()
					} else {
						r.WantError(tt.code, l.field)
					}
					all.want(r, l.moved, l.field)
					wantPages(r, l.field, tt.pages, tt.reason)
					if got := fmt.Sprint(r.At(l.field, "unreadable")); got != fmt.Sprint(tt.unreadable) {
						t.Errorf("%s unreadable records", got)
					}
					if last != nil && !bytes.Equal(last, r.Body) {
						t.Errorf("%s\n%s", last, r.Body)
					}
					last = r.Body
				}
			})
		}
	})
}

// TestFirstPageFails: without any page, there is no sum.
func TestFirstPageFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(5))
		for status, code := range map[int]string{
			401: "UNAUTHENTICATED", 403: "FORBIDDEN", 404: "UPSTREAM_INVALID_RESPONSE", 422: "BAD_USER_INPUT", 429: "RATE_LIMITED", 500: "UPSTREAM_ERROR",
		} {
			undo := g.Box.Inject(sandbox.Fault{Status: status})
			for _, l := range lists {
				r := g.Query(l.document(""))
				r.WantError(code, l.field)
				if r.At(l.field) != nil {
					t.Errorf("%s", r.Body)
				}
			}
			undo()
		}
	})
}

// TestNoReadableRecord: sums of which nothing is known are null, and not 0.
func TestNoReadableRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(1))
		g.Box.Inject(sandbox.Fault{Body: []byte(`{"total":2,"totalPages":1,"currentPage":1,"perPage":100,"data":[null,{"id":"a","amount":1.5}]}`)})
		r := g.Query(lists[0].document("")).WantOK()
		new(sums).want(r, "amountPaid", "depositSummary")
		wantPages(r, "depositSummary", 1, "RECORD_UNREADABLE")
		if fmt.Sprint(r.At("depositSummary", "unreadable")) != "2" {
			t.Errorf("%s", r.Body)
		}
	})
}

// TestPaging: however the API pages, the sums are those of the whole list, or the summary says that they are not.
func TestPaging(t *testing.T) {
	for _, tt := range []struct {
		name          string
		change        func(*options)
		arguments     string
		summed, pages int
		reason, code  string
		calls         int
	}{
		{"pages of another size", func(o *options) { o.Sandbox.IgnorePerPage = true }, "", 130, 7, "", "", 7},
		{"smaller pages than requested", func(o *options) { o.Sandbox.MaxPerPage, o.Sandbox.ClampPerPage = 50, true }, "", 130, 3, "", "", 3},
		{"a refused size", func(o *options) { o.Sandbox.MaxPerPage = 50 }, "", 130, 7, "", "", 8},
		{"a refused size, and a limit", func(o *options) { o.Sandbox.MaxPerPage = 50 }, "(maxPages: 5)", 80, 4, "PAGE_LIMIT", "", 5},
		{"no parameters of pages", func(o *options) { o.Sandbox.IgnorePaging = true }, "", 20, 1, "PAGING_UNKNOWN", "PAGINATION_UNSUPPORTED", 7},
		{"no name of the size", func(o *options) { o.Upstream.PerPageParam = "" }, "", 130, 7, "", "", 7},
		{"no name of the page", func(o *options) { o.Upstream.PageParam = "" }, "", 100, 1, "PAGING_UNKNOWN", "PAGINATION_UNSUPPORTED", 1},
		{
			"no names", func(o *options) { o.Upstream.PageParam, o.Upstream.PerPageParam = "", "" }, "",
			20, 1, "PAGING_UNKNOWN", "PAGINATION_UNSUPPORTED", 1,
		},
		{
			"one page without names", func(o *options) {
				o.Upstream.PageParam, o.Upstream.PerPageParam, o.Sandbox.DefaultPerPage, o.Sandbox.MaxPerPage = "", "", 200, 200
			}, "", 130, 1, "", "", 1,
		},
		{"the oldest record first", func(o *options) { o.Sandbox.OldestFirst = true }, "", 130, 2, "", "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gatewaytest.Start(t, records(130), tt.change)
				l := lists[0]
				all, _ := l.sumsOf(t, g.Box.Ledger().Deposits()[:tt.summed], "UTC")
				r := g.Query(l.document(tt.arguments))
				if tt.code == "" {
					r.WantOK()
				} else {
					r.WantError(tt.code, l.field)
				}
				all.want(r, l.moved, l.field)
				wantPages(r, l.field, tt.pages, tt.reason)
				if made := len(g.Box.Calls()); made > tt.calls || tt.code == "" && made != tt.calls {
					t.Errorf("%d calls, want %d", made, tt.calls)
				}
			})
		})
	}
}

// TestOddCounts: pages of different sizes, and counts of pages that contradict the count of records, are read one after
// the other, by sums and by files.
func TestOddCounts(t *testing.T) {
	const pages = 4
	for _, tt := range []struct {
		name              string
		total, totalPages int
		pages             int
		reason            string
	}{
		{"pages without records", 0, 4, 1, "COUNT_MISMATCH"},
		{"sizes vary", 100, 4, 4, ""},
		{"too few pages counted", 100, 2, 4, ""},
		{"too many pages counted", 100, 40, 5, ""},
		{"too many records counted", 200, 4, 5, "COUNT_MISMATCH"},
		{"too few records counted", 95, 4, 4, "COUNT_MISMATCH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gatewaytest.Start(t, records(100))
				sizes := [pages]int{30, 1, 60, 9}
				if tt.total == 0 {
					sizes = [pages]int{}
				}
				from := 0
				for n := 1; n <= pages+1; n++ {
					size := append(sizes[:], 0)[n-1]
					body := fmt.Appendf(nil, `{"total":%d,"totalPages":%d,"currentPage":%d,"perPage":%d,"data":[`, tt.total, tt.totalPages, n, size)
					for i, entry := range g.Box.Ledger().Deposits()[from : from+size] {
						if i > 0 {
							body = append(body, ',')
						}
						body = append(body, entry.JSON()...)
					}
					from += size
					g.Box.Inject(sandbox.Fault{Match: func(r *http.Request) bool {
						return page(n)(r) || n == 1 && !r.URL.Query().Has("page") // as a file requests it
					}, Body: append(body, "]}"...)})
				}
				r := g.Query(lists[0].document("")).WantOK()
				all, _ := lists[0].sumsOf(t, g.Box.Ledger().Deposits()[:from], "UTC")
				all.want(r, "amountPaid", "depositSummary")
				wantPages(r, "depositSummary", tt.pages, tt.reason)
				g.WantCalls(tt.pages, g.Token)
				file := g.Open(http.Header{"Accept": {"application/x-ndjson"}}, "{ deposits { nodes { id } } }")
				body, err := io.ReadAll(file.Body)
				end := fmt.Sprintf(`"complete":%t`, tt.reason == "")
				if lines := strings.Count(string(body), "\n"); err != nil || lines != from+1 || !strings.Contains(string(body), end) {
					t.Errorf("a file has %d lines, %v: %s", lines, err, body[max(0, len(body)-200):])
				}
			})
		})
	}
}

// TestMovingList: a record that appears while pages are read makes the sums incomplete, and no record is summed twice.
func TestMovingList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(450))
		added := g.Box.Ledger().Deposits()[0].JSON()
		added = regexp.MustCompile(`"id":"[^"]*"`).ReplaceAll(added, []byte(`"id":"b0e7c5a2-0d6d-4a5f-9a53-000000000001"`))
		var put sync.Once
		g.Box.Inject(sandbox.Fault{Match: func(r *http.Request) bool {
			if page(2)(r) {
				put.Do(func() { g.Box.Ledger().Put(ledger.Deposit, ledger.NewEntry(added)) })
			}
			return false
		}})
		r := g.Query(lists[0].document("")).WantOK()
		wantPages(r, "depositSummary", 5, "TOTAL_CHANGED")
		if count, _ := r.At("depositSummary", "count").(json.Number).Int64(); count < 448 || count > 450 {
			t.Errorf("%d records", count) // the last record of page 1 is the first of page 2, and the new one is on none
		}
	})
}
