package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// TestInvalidRecords: on a page of 100 records, two invalid ones are null with an error. Two unusual ones are valid.
func TestInvalidRecords(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const missing, fraction, unknown, large = 7, 23, 42, 99
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
			var page struct {
				members
				Data []members `json:"data"`
			}
			must(t, json.Unmarshal(body, &page.members))
			must(t, json.Unmarshal(body, &page))
			delete(page.Data[missing], "acquirer")
			page.Data[fraction]["amount"] = json.RawMessage("12.5")
			page.Data[unknown]["status"] = json.RawMessage(`"PARTIALLY_PAID"`)
			page.Data[large]["amount"] = json.RawMessage("9007199254740993")
			data, err := json.Marshal(page.Data)
			must(t, err)
			page.members["data"] = data
			changed, err := json.Marshal(page.members)
			must(t, err)
			return changed
		}})
		a := g.Query("{ deposits(perPage: 100) { nodes { id acquirer amount status statusRaw } edges { node { id acquirer amount } } } }")
		nulls := 0
		for _, node := range a.List("deposits", "nodes") {
			if node == nil {
				nulls++
			}
		}
		if nulls != 2 || len(a.List("deposits", "nodes")) != 100 {
			t.Errorf("%d nulls among %d records, want 2 among 100", nulls, len(a.List("deposits", "nodes")))
		}
		if len(a.Errors) != 4 {
			t.Errorf("%d errors, want one for each of the two records in nodes and in edges: %v", len(a.Errors), a.Errors)
		}
		a.WantError("UPSTREAM_INVALID_RESPONSE", "deposits", "nodes", missing, "acquirer")
		a.WantError("UPSTREAM_INVALID_RESPONSE", "deposits", "nodes", fraction, "amount")
		a.WantError("UPSTREAM_INVALID_RESPONSE", "deposits", "edges", missing, "node", "acquirer")
		a.WantError("UPSTREAM_INVALID_RESPONSE", "deposits", "edges", fraction, "node", "amount")
		status, raw := a.Text("deposits", "nodes", unknown, "status"), a.Text("deposits", "nodes", unknown, "statusRaw")
		if status != "UNKNOWN" || raw != "PARTIALLY_PAID" {
			t.Errorf("the unknown status is %s, %s", status, raw)
		}
		if amount := a.At("deposits", "nodes", large, "amount"); fmt.Sprint(amount) != "9007199254740993" {
			t.Errorf("9007199254740993 is %v", amount)
		}
		g.WantCalls(1, g.Token)
	})
}

// TestInvalidElements: elements of lists that are not objects are null, each with an error.
func TestInvalidElements(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteWithdrawal, Body: []byte(`{"total":3,"totalPages":1,"currentPage":1,"perPage":20,"data":[
			5, null, {"id":"a","statusHistory":[{"status":"PENDING","date":"2026-01-01T00:00:00Z","durationInMilliseconds":1}, null, "x", {"status":"NEW"}]}]}`)})
		a := g.Query("{ withdrawals { nodes { id statusHistory { status statusRaw } } } }")
		for _, path := range [][]any{
			{"withdrawals", "nodes", 0}, {"withdrawals", "nodes", 1},
			{"withdrawals", "nodes", 2, "statusHistory", 1}, {"withdrawals", "nodes", 2, "statusHistory", 2},
		} {
			a.WantError("UPSTREAM_INVALID_RESPONSE", path...)
		}
		if len(a.Errors) != 4 {
			t.Errorf("errors: %v", a.Errors)
		}
		history := a.List("withdrawals", "nodes", 2, "statusHistory")
		if fmt.Sprint(history) != "[map[status:PENDING statusRaw:PENDING] <nil> <nil> map[status:UNKNOWN statusRaw:NEW]]" {
			t.Errorf("history: %v", history)
		}
	})
}

// TestOneErrorPerNull: a record with several invalid fields is null with one error, of the first selected field. The
// errors are in the order of the fields.
func TestOneErrorPerNull(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Body: []byte(`{"total":3,"totalPages":1,"currentPage":1,"perPage":20,"data":[
			{"id":1,"amount":"x","status":5,"payer":{"name":7},"feeAmount":"a"},
			{"id":"b","amount":1,"status":"PAID","payer":{"name":7},"feeAmount":"a"},
			{"id":"c","amount":1.5,"status":"PAID","payer":5}]}`)})
		const document = `{ second: deposits { nodes { ...F status id } } first: deposits { nodes { feeAmount payer { name } id ... on Deposit { amount } } } }
			fragment F on Deposit { amount }`
		for range 20 {
			a := g.Query(document)
			var got []string
			for _, err := range a.Errors {
				got = append(got, fmt.Sprint(err.Path))
			}
			want := []string{
				"[second nodes 0 amount]", "[second nodes 2 amount]",
				"[first nodes 0 id]", "[first nodes 1 feeAmount]", "[first nodes 1 payer name]", "[first nodes 2 amount]",
			}
			if !slices.Equal(got, want) {
				t.Fatalf("errors at %v, want %v", got, want)
			}
		}
	})
}

// TestPagesByNumber reads all pages of a list by their numbers.
func TestPagesByNumber(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		var seen []string
		for page := 1; page <= 5; page++ {
			a := g.Query(`query($page: Int) { deposits(page: $page, perPage: 50) {
				nodes { id } totalCount totalPages currentPage perPage pageInfo { hasNextPage hasPreviousPage } } }`, variables{"page": page}).WantOK()
			seen = append(seen, a.IDs("deposits")...)
			want := fmt.Sprintf("map[currentPage:%d pageInfo:map[hasNextPage:%v hasPreviousPage:%v] perPage:50 totalCount:240 totalPages:5]",
				page, page < 5, page > 1)
			deposits := a.At("deposits").(map[string]any)
			delete(deposits, "nodes")
			if got := fmt.Sprint(deposits); got != want {
				t.Errorf("page %d: %s, want %s", page, got, want)
			}
		}
		if !slices.Equal(seen, g.depositIDs()) {
			t.Error("the pages are not the list")
		}
		if a := g.Query("{ deposits(page: 6, perPage: 50) { nodes { id } totalCount } }").WantOK(); len(a.IDs("deposits")) != 0 {
			t.Error("the page after the last is not empty")
		}
	})
}

// TestPagesByCursor reads a list by its cursors, with sizes that are aligned to the API's pages and some that are not.
func TestPagesByCursor(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		tests := []struct {
			name  string
			sizes []int // repeated
			calls int   // of the whole walk
		}{
			{"one size", []int{60}, 4},
			{"changing sizes", []int{70, 31, 99, 40}, 6},
			{"from the middle of a page", []int{1, 100, 100, 100}, 6},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				var seen []string
				var after any
				for turn := 0; ; turn++ {
					size := tt.sizes[turn%len(tt.sizes)]
					a := g.Query(`query($n: Int, $after: String) { deposits(first: $n, after: $after) {
						nodes { id } edges { cursor node { id } } pageInfo { hasNextPage startCursor endCursor } } }`,
						variables{"n": size, "after": after}).WantOK()
					ids := a.IDs("deposits")
					seen = append(seen, ids...)
					if last := len(ids) - 1; a.Text("deposits", "edges", last, "cursor") != a.Text("deposits", "pageInfo", "endCursor") ||
						a.Text("deposits", "edges", last, "node", "id") != ids[last] ||
						a.Text("deposits", "edges", 0, "cursor") != a.Text("deposits", "pageInfo", "startCursor") {
						t.Fatal("edges, nodes and pageInfo do not agree")
					}
					if a.At("deposits", "pageInfo", "hasNextPage") != true {
						break
					}
					if len(ids) != size {
						t.Fatalf("%d records in the middle of the list, want %d", len(ids), size)
					}
					after = a.Text("deposits", "pageInfo", "endCursor")
				}
				if !slices.Equal(seen, g.depositIDs()) {
					t.Error("the pages are not the list")
				}
				if calls := len(g.Box.Calls()); calls != tt.calls {
					t.Errorf("%d upstream calls, want %d", calls, tt.calls)
				}
			})
		}
		g.row("after the last", func(t testing.TB, g *gateway) {
			a := g.Query(`{ deposits(page: 3, perPage: 80) { pageInfo { endCursor hasNextPage } } }`).WantOK()
			b := g.Query(`query($after: String) { deposits(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
				variables{"after": a.At("deposits", "pageInfo", "endCursor")}).WantOK()
			if fmt.Sprint(b.At("deposits")) != "map[nodes:[] pageInfo:map[endCursor:<nil> hasNextPage:false]]" {
				t.Errorf("%v", b.At("deposits"))
			}
		})
	})
}

// TestUnevenPages: no record is repeated or lost if an API's pages are shorter than their size.
func TestUnevenPages(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		// Records r0 to r29 in pages of 10, but the first page holds 8 of its 10.
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: func(body []byte) []byte {
			var page struct{ CurrentPage, PerPage int }
			must(t, json.Unmarshal(body, &page))
			var data []string
			for i := range page.PerPage {
				if n := (page.CurrentPage-1)*page.PerPage + i; n < 30 && n != 8 && n != 9 {
					data = append(data, fmt.Sprintf(`{"id":"r%d"}`, n))
				}
			}
			return fmt.Appendf(nil, `{"total":30,"totalPages":3,"currentPage":%d,"perPage":%d,"data":[%s]}`,
				page.CurrentPage, page.PerPage, strings.Join(data, ","))
		}})
		var seen []string
		var after any
		for range 10 {
			a := g.Query(`query($after: String) { deposits(first: 10, after: $after) {
				nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } }`, variables{"after": after}).WantOK()
			if a.At("deposits", "pageInfo", "hasPreviousPage") != (after != nil) {
				t.Errorf("hasPreviousPage %v after %v", a.At("deposits", "pageInfo", "hasPreviousPage"), after)
			}
			seen = append(seen, a.IDs("deposits")...)
			if after = a.At("deposits", "pageInfo", "endCursor"); a.At("deposits", "pageInfo", "hasNextPage") == false {
				break
			}
		}
		var want []string
		for n := range 30 {
			if n != 8 && n != 9 {
				want = append(want, fmt.Sprintf("r%d", n))
			}
		}
		if !slices.Equal(seen, want) {
			t.Errorf("saw %v", seen)
		}
	})
}

// TestContradictoryCounts: counts that contradict the records are returned, or an error, but they hide no record.
func TestContradictoryCounts(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		tests := []struct {
			name, envelope string
			next           any
			failing        []string // the fields with an error
		}{
			{"records, but no pages", `"total":100,"totalPages":0,"currentPage":1,"perPage":2`, true, nil},
			{"pages of size 0", `"total":100,"totalPages":1,"currentPage":1,"perPage":0`, false, []string{"endCursor"}},
			{"pages from 0", `"total":1,"totalPages":1,"currentPage":0,"perPage":20`, true, []string{"endCursor"}},
			{"a count above 32 bits", `"total":3000000000,"totalPages":150000000,"currentPage":1,"perPage":20`, true, nil},
			{"the largest numbers", strings.ReplaceAll(`"total":N,"totalPages":N,"currentPage":N,"perPage":N`, "N", "9223372036854775807"),
				false, []string{"endCursor"}},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Body: []byte("{" + tt.envelope + `,"data":[{"id":"a"}]}`)})()
				a := g.Query("{ deposits { nodes { id } pageInfo { hasNextPage endCursor } } }")
				if len(a.IDs("deposits")) != 1 || a.At("deposits", "pageInfo", "hasNextPage") != tt.next || len(a.Errors) != len(tt.failing) {
					t.Errorf("%s", a.Body)
				}
				for _, field := range tt.failing {
					a.WantError("PAGINATION_UNSUPPORTED", "deposits", "pageInfo", field)
				}
			})
		}
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Body: []byte(`{"total":3000000000,"totalPages":1,"currentPage":1,"perPage":20,"data":[]}`)})
		g.Query("{ deposits { totalCount } }").WantError("UPSTREAM_INVALID_RESPONSE", "deposits", "totalCount")
	})
}

// TestWithoutCounts: a list whose API counts nothing is read by pages, cursors, sums and files, which say that nothing
// shows whether they are complete. Only a client that selects a count gets an error.
func TestWithoutCounts(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		for _, tt := range []struct {
			name, count, instead, reason string
			failing                      []string // the counts with an error
		}{
			{"no counts", `"total(Pages)?":\d+,`, "", "COUNT_UNKNOWN", []string{"totalCount", "totalPages"}},
			{"no number of records", `"total":\d+,`, "", "COUNT_UNKNOWN", []string{"totalCount"}},
			{"no number of pages", `"totalPages":\d+,`, "", "", []string{"totalPages"}},
			{"counts that are null", `("total(Pages)?"):\d+`, "$1:null", "COUNT_UNKNOWN", []string{"totalCount", "totalPages"}},
			{"counts that are 0", `("total(Pages)?"):\d+`, "$1:0", "COUNT_MISMATCH", nil},
		} {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				defer g.replace(sandbox.RouteDeposit, tt.count, tt.instead)()
				var seen []string
				for number, more := 1, true; more; number++ {
					a := g.Query(`query($page: Int) { deposits(page: $page, perPage: 80) { nodes { id } pageInfo { hasNextPage } } }`,
						variables{"page": number}).WantOK()
					seen = append(seen, a.IDs("deposits")...)
					more = a.At("deposits", "pageInfo", "hasNextPage") == true
				}
				if !slices.Equal(seen, g.depositIDs()) {
					t.Errorf("%d records", len(seen))
				}
				for _, field := range []string{"totalCount", "totalPages"} {
					a := g.Query("{ deposits { nodes { id } " + field + " } withdrawals { totalCount } }")
					if !slices.Contains(tt.failing, field) {
						a.WantOK()
						continue
					}
					a.WantError("UPSTREAM_INVALID_RESPONSE", "deposits", field)
					if a.At("deposits") != nil || a.At("withdrawals", "totalCount") == nil {
						t.Errorf("%s", a.Body)
					}
				}
				for _, list := range []string{"deposits", "deposits(perPage: 70)"} {
					document := "{ " + list + " { nodes { id } totalCount ...Pages } } fragment Pages on DepositConnection { totalPages }" // both are ignored
					file := g.download("application/x-ndjson", document).want(tt.reason)
					if records, _ := file.lines(); len(records) != len(seen) {
						t.Errorf("a file of %s has %d records", list, len(records))
					}
					total, counted := file.header.Get("X-Pixgraph-Total"), tt.reason != "COUNT_UNKNOWN"
					if counted != (total != "") || counted != bytes.Contains(file.body, []byte(`"total":`)) {
						t.Errorf("a file of %s has a total of %q: %s", list, total, file.body[len(file.body)-200:])
					}
				}
				first, end := g.download("application/x-ndjson", "{ deposits(first: 100) { nodes { id } } }").lines()
				if len(first) != 100 || !end.Complete {
					t.Errorf("%d records and %+v by first", len(first), end)
				}
				sum := g.Query(`{ depositSummary { count reason } }`).WantOK()
				if got, _ := sum.At("depositSummary", "reason").(string); got != tt.reason || fmt.Sprint(sum.At("depositSummary", "count")) != "240" {
					t.Errorf("%s", sum.Body)
				}
			})
		}
	})
}

// TestUnsupportedPaging: a page that the API cannot return, or did not return, is an error and never another page.
func TestUnsupportedPaging(t *testing.T) {
	bubble(t, "an API that ignores the parameters", func(t *testing.T) {
		g := start(t, func(o *options) { o.Sandbox.IgnorePaging = true })
		g.Query("{ deposits { nodes { id } currentPage } }").WantOK()
		g.Query("{ deposits(page: 1) { nodes { id } } }").WantOK()
		a := g.Query("{ deposits(page: 2) { nodes { id } } withdrawals { totalCount } }")
		a.WantError("PAGINATION_UNSUPPORTED", "deposits")
		if a.At("deposits") != nil || a.At("withdrawals") == nil {
			t.Errorf("data: %v", a.Data)
		}
		b := g.Query("{ withdrawals(perPage: 10) { nodes { id } perPage } }").WantOK()
		if perPage := fmt.Sprint(b.At("withdrawals", "perPage")); perPage != "20" || len(b.IDs("withdrawals")) != 20 {
			t.Errorf("%d records on a page of %s, want the 20 that the API returned", len(b.IDs("withdrawals")), perPage)
		}
		c := g.Query("{ deposits(first: 10) { pageInfo { endCursor } } }").WantOK()
		d := g.Query("query($after: String) { deposits(first: 20, after: $after) { nodes { id } } }", variables{"after": c.At("deposits", "pageInfo", "endCursor")})
		d.WantError("PAGINATION_UNSUPPORTED", "deposits") // page 1 has the first of these records, and page 2 is missing
	})
	bubble(t, "a later page of another size", func(t *testing.T) {
		g := start(t, func(o *options) { o.Sandbox.IgnorePerPage = true })
		err := g.Query("{ deposits(page: 2, perPage: 10) { nodes { id } } }").WantError("PAGINATION_UNSUPPORTED", "deposits")
		if fmt.Sprint(err.Extensions["perPage"]) != "20" || err.Extensions["retryable"] != false {
			t.Errorf("extensions %v, want the size of the API", err.Extensions)
		}
		a := g.Query("query($n: Int) { deposits(page: 2, perPage: $n) { nodes { id } perPage currentPage } }", variables{"n": err.Extensions["perPage"]}).WantOK()
		if !slices.Equal(a.IDs("deposits"), g.depositIDs()[20:40]) {
			t.Error("page 2 of 20 is not the second twenty")
		}
	})
	bubble(t, "no parameters configured", func(t *testing.T) {
		g := start(t, func(o *options) { o.Upstream.PageParam, o.Upstream.PerPageParam = "", "" })
		first := g.Query("{ deposits { nodes { id } pageInfo { hasNextPage endCursor } } }").WantOK()
		g.Query("{ deposits(page: 1) { nodes { id } } }").WantOK()
		for _, call := range g.Box.Calls() {
			if call.RawQuery != "" {
				t.Errorf("the call of the first page has the parameters %s", call.RawQuery)
			}
		}
		g.Box.ResetCalls()
		for document, settings := range map[string][]string{
			"{ deposits(page: 2) { nodes { id } } }":                                                                 {"paging_page_param"},
			"{ deposits(perPage: 10) { nodes { id } } }":                                                             {"paging_per_page_param"},
			"{ deposits(first: 10) { nodes { id } } }":                                                               {"paging_per_page_param"},
			"{ deposits(page: 2, perPage: 9) { nodes { id } } }":                                                     {"paging_page_param", "paging_per_page_param"},
			fmt.Sprintf("{ deposits(after: %q) { nodes { id } } }", first.Text("deposits", "pageInfo", "endCursor")): {"paging_page_param", "paging_per_page_param"},
		} {
			err := g.Query(document).WantError("PAGINATION_UNSUPPORTED", "deposits")
			for _, setting := range settings {
				if !strings.Contains(err.Message, setting) {
					t.Errorf("%s: %q does not name %s", document, err.Message, setting)
				}
			}
		}
		g.WantNoCalls()
	})
}
