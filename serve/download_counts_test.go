package serve_test

import (
	"bytes"
	"encoding/json"
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

// TestDownloadCounted: a file and a sum have the same records and the same reason, whatever the API counts. A file by
// first has as many as were asked for.
func TestDownloadCounted(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for _, tt := range []struct {
			what, counts, by, reason, total string
		}{
			{"too many pages", `"totalPages":\d+`, `"totalPages":9`, "", "240"},
			{"too few pages", `"totalPages":\d+`, `"totalPages":1`, "", "240"},
			{"too many records", `"total":\d+`, `"total":1000`, "COUNT_MISMATCH", "1000"},
			{"too few records", `"total":\d+`, `"total":120`, "COUNT_MISMATCH", "120"},
			{"no records", `"total":\d+`, `"total":0`, "COUNT_MISMATCH", "0"},
			{"nothing", `"total(Pages)?":\d+,`, "", "COUNT_UNKNOWN", ""},
		} {
			counts := regexp.MustCompile(tt.counts)
			undo := g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
				return counts.ReplaceAll(body, []byte(tt.by))
			}})
			whole := g.download("application/x-ndjson", "{ deposits(perPage: 100) { nodes { id } } }").want(tt.reason)
			total := whole.header.Get("X-Pixgraph-Total")
			if said := bytes.Contains(whole.body, []byte(`"total":`+total)); total != tt.total || said != (total != "") {
				t.Errorf("%s: a total of %q, want %q: %s", tt.what, total, tt.total, whole.body[len(whole.body)-200:])
			}
			records, _ := whole.lines()
			first, end := g.download("application/x-ndjson", "{ deposits(first: 100) { nodes { id } } }").lines()
			if len(records) != 240 || !slices.Equal(first, records[:100]) || end.Complete != (tt.what != "no records") {
				t.Errorf("%s: %d records by perPage, %d and %+v by first", tt.what, len(records), len(first), end)
			}
			sum := g.Query("{ depositSummary { reason count } }").WantOK().Data.(map[string]any)["depositSummary"]
			want := map[string]any{"count": json.Number("240"), "reason": nil}
			if tt.reason != "" {
				want["reason"] = tt.reason
			}
			if fmt.Sprint(sum) != fmt.Sprint(want) {
				t.Errorf("%s: a sum has %v, want %v", tt.what, sum, want)
			}
			undo()
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

// TestContradictingTotals: a file and a sum of a list have the same verdict about it, also if its counts contradict
// each other.
func TestContradictingTotals(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		for _, counts := range [][2]int{
			{100, 3}, {240, 1}, {240, 2}, {240, 4}, {240, 30}, {0, 3}, {240, 0}, {250, 3}, {1, 1}, {300, 3}, {301, 4}, {200, 2}, {100, 1},
		} {
			g.row(fmt.Sprintf("%d records on %d pages", counts[0], counts[1]), func(t testing.TB, g *gateway) {
				defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
					body = bytes.Replace(body, []byte(`"total":240`), fmt.Appendf(nil, `"total":%d`, counts[0]), 1)
					return bytes.Replace(body, []byte(`"totalPages":3`), fmt.Appendf(nil, `"totalPages":%d`, counts[1]), 1)
				}})()
				sum := g.Query(`{ depositSummary { count complete reason } none: depositSummary(dayOf: PAYMENT_DATE, toDay: "1999-12-31") { count reason } }`).WantOK()
				reason, _ := sum.At("depositSummary", "reason").(string)
				if got := sum.At("none", "reason"); got != sum.At("depositSummary", "reason") || fmt.Sprint(sum.At("none", "count")) != "0" {
					t.Errorf("the sums of no day are %s", sum.Body)
				}
				records, _ := g.download("application/x-ndjson", `{ deposits { nodes { id } } }`).want(reason).lines()
				if count := fmt.Sprint(sum.At("depositSummary", "count")); count != fmt.Sprint(len(records)) {
					t.Errorf("%d records in the file, %s in the sum", len(records), count)
				}
			})
		}
	})
}
