package serve_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"pixgraph/sandbox"
)

// TestDownloadRepeats: a file or a sum of an API that counts nothing and has the same page for each number ends.
func TestDownloadRepeats(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		counts, number := regexp.MustCompile(`"total(Pages)?":\d+,`), regexp.MustCompile(`"currentPage":\d+`)
		var first []byte
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
			if first == nil {
				first = counts.ReplaceAll(body, nil)
			}
			return number.ReplaceAll(first, number.Find(body))
		}})
		for _, list := range []string{"deposits", "deposits(perPage: 30)"} {
			first = nil
			records, end := g.download("application/x-ndjson", "{ "+list+" { nodes { id } } }").want("RECORD_REPEATED").lines()
			if end.Pages != 2 || len(records) != end.Records {
				t.Errorf("%s: %d records, %+v", list, len(records), end)
			}
		}
		first = nil
		sum := g.Query("{ depositSummary { reason pagesRead } }").WantOK().Data.(map[string]any)["depositSummary"]
		if fmt.Sprint(sum) != "map[pagesRead:2 reason:RECORD_REPEATED]" {
			t.Errorf("a sum has %v", sum)
		}
	})
}

// TestDownloadRepeatsCounted: a file or a sum of an API that has the last page for each further number ends, whatever
// number of records the API claims, and even if the records have no ids. That is the reason, whatever came before.
func TestDownloadRepeatsCounted(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		total, number, ids := regexp.MustCompile(`"total":\d+,`), regexp.MustCompile(`"currentPage":\d+`), regexp.MustCompile(`"id":"[0-9a-f-]{36}"`)
		for name, change := range map[string]func(body []byte, calls int) []byte{
			"too many": func(body []byte, _ int) []byte { return total.ReplaceAll(body, []byte(`"total":1000000000000,`)) },
			"more with each page": func(body []byte, calls int) []byte {
				return total.ReplaceAll(body, fmt.Appendf(nil, `"total":%d,`, 1_000_000+calls))
			},
			"without ids": func(body []byte, _ int) []byte {
				return ids.ReplaceAll(total.ReplaceAll(body, []byte(`"total":1000000000000,`)), []byte(`"id":null`))
			},
		} {
			var last []byte
			calls := 0
			undo := g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
				if !bytes.Contains(body, []byte(`"data":[]`)) {
					last = body
				} else if calls > 1000 {
					return body // a file that does not end
				}
				calls++
				return change(number.ReplaceAll(last, number.Find(body)), calls)
			}})
			for _, list := range []string{"deposits", "deposits(perPage: 100)"} {
				records, end := g.download("application/x-ndjson", "{ "+list+" { nodes { amount } } }").want("RECORD_REPEATED").lines()
				if end.Pages != 5 || len(records) != 100+100+40+40+40 {
					t.Errorf("%s: %s: %d records, %+v", name, list, len(records), end)
				}
			}
			sum := g.Query("{ depositSummary { reason pagesRead } }").WantOK().Data.(map[string]any)["depositSummary"]
			if fmt.Sprint(sum) != "map[pagesRead:5 reason:RECORD_REPEATED]" {
				t.Errorf("%s: a sum has %v", name, sum)
			}
			undo()
		}
	})
}

// TestRepeatedFarAway: a record of the first page on the eleventh is noticed, by a file and by a sum.
func TestRepeatedFarAway(t *testing.T) {
	runWith(t, func(o *options) { o.Sandbox.Records = 1200 }, func(t *testing.T, g *gateway) {
		ids := g.depositIDs()
		g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
			return bytes.Replace(body, []byte(ids[1050]), []byte(ids[0]), 1)
		}})
		records, _ := g.download("application/x-ndjson", `{ deposits { nodes { id } } }`).want("RECORD_REPEATED").lines()
		summary := g.Query(`{ depositSummary { count complete reason } none: depositSummary(toDay: "1999-12-31") { count reason } }`).WantOK()
		if len(records) != 1200 || summary.Text("depositSummary", "reason") != "RECORD_REPEATED" || summary.Text("none", "reason") != "RECORD_REPEATED" {
			t.Errorf("%d records, %s", len(records), summary.Body)
		}
	})
}

// TestContradictingTotals: a file and a sum of a list have the same records and the same verdict about it, whatever the
// API counts. A file by first has as many records as were asked for.
func TestContradictingTotals(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		const wrong = "COUNT_MISMATCH"
		for _, tt := range []struct {
			total, pages, records int
			reason                string
		}{
			{240, 0, 240, ""}, {240, 1, 240, ""}, {240, 2, 240, ""}, {240, 4, 240, ""}, {240, 9, 240, ""},
			{240, 30, 240, ""},
			{100, 1, 100, ""}, {200, 2, 200, ""}, {1, 1, 100, wrong}, // nothing shows that there are more pages
			{0, 3, 240, wrong}, {100, 3, 240, wrong}, {120, 3, 240, wrong}, {250, 3, 240, wrong},
			{300, 3, 240, wrong}, {301, 4, 240, wrong}, {1000, 3, 240, wrong},
		} {
			g.row(fmt.Sprintf("%d records on %d pages", tt.total, tt.pages), func(t testing.TB, g *gateway) {
				defer g.replace(sandbox.RouteDeposit, `"total":240`, fmt.Sprintf(`"total":%d`, tt.total))()
				defer g.replace(sandbox.RouteDeposit, `"totalPages":3`, fmt.Sprintf(`"totalPages":%d`, tt.pages))()
				sums := g.Query(`{
					all: depositSummary { count reason }
					none: depositSummary(dayOf: PAYMENT_DATE, toDay: "1999-12-31") { count reason }
				}`).WantOK()
				for sum, want := range map[string]string{"all": fmt.Sprint(tt.records), "none": "0"} {
					reason, _ := sums.At(sum, "reason").(string)
					if count := fmt.Sprint(sums.At(sum, "count")); count != want || reason != tt.reason {
						t.Errorf("the sum of %s is %s, want %s and %q", sum, sums.Body, want, tt.reason)
					}
				}
				file := g.download("application/x-ndjson", "{ deposits { nodes { id } } }").want(tt.reason)
				total := file.header.Get("X-Pixgraph-Total")
				if total != fmt.Sprint(tt.total) || !bytes.Contains(file.body, []byte(`"total":`+total)) {
					t.Errorf("a total of %q: %s", total, file.body[len(file.body)-200:])
				}
				whole, _ := file.lines()
				first, end := g.download("application/x-ndjson", "{ deposits(first: 100) { nodes { id } } }").lines()
				complete := tt.total >= 100 || tt.pages == 1
				if len(whole) != tt.records || !slices.Equal(first, whole[:100]) || end.Complete != complete {
					t.Errorf("%d records in the file, %d and %+v by first", len(whole), len(first), end)
				}
			})
		}
	})
}
