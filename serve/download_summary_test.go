package serve_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/graph/guard/limits"
	"pixgraph/sandbox"
)

// TestDownloadSummary: the file of a summary has its groups, or one row without groups, as the query has them.
func TestDownloadSummary(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		for _, tt := range []struct{ name, document, header string }{
			{"by day", `{ depositSummary(groupBy: [DAY, STATUS]) { complete groups { day statusRaw count paid: amountPaid refundAmount } } }`,
				"day,statusRaw,count,paid,refundAmount"},
			{"more groups than the list of an API may have", `{ depositSummary(groupBy: [DAY, STATUS, ORIGIN]) { groups { day count } } }`, "day,count"},
			{"one row", `{ mine: withdrawalSummary { count amount amountWithdrawn none: __typename complete reason } }`,
				"count,amount,amountWithdrawn,none,complete,reason"},
			{"fragments", `query Sums($no: Boolean = false) { ...Q } fragment Q on Query { s: depositSummary(groupBy: [ORIGIN]) { ...S groups { count } } }
				fragment S on DepositSummary { g: groups @include(if: $no) { day } groups { depositOrigin count @skip(if: $no) } }`, "depositOrigin,count"},
			{"no groups", `{ depositSummary { groups { day count } } }`, "day,count"},
		} {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				var response struct{ Data map[string]json.RawMessage }
				must(t, json.Unmarshal(g.Query(tt.document).WantOK().Body, &response))
				var want []json.RawMessage
				for _, summary := range response.Data {
					var groups struct{ Groups []json.RawMessage }
					must(t, json.Unmarshal(summary, &groups))
					if want = groups.Groups; !bytes.Contains(summary, []byte(`"groups":`)) {
						want = []json.RawMessage{summary}
					}
				}
				g.Box.ResetCalls()
				rows := g.download("text/csv", tt.document).want("").rows()
				g.WantCalls(3, g.Token)
				if got := strings.Join(rows[0], ","); got != tt.header || len(rows) != 1+len(want) {
					t.Fatalf("%s, %d rows, want %d", got, len(rows)-1, len(want))
				}
				f := g.download("application/x-ndjson", tt.document).want("")
				lines, end := f.lines()
				if !end.Complete || end.Records != len(want) || end.Pages != 3 || len(lines) != len(want) {
					t.Errorf("%d lines, %+v", len(lines), end)
				}
				for i, row := range want {
					var object map[string]json.RawMessage
					must(t, json.Unmarshal(row, &object))
					for c, name := range rows[0] {
						if got := rows[i+1][c]; got != cellOf(t, object, []string{name}) {
							t.Errorf("row %d, %s: %q", i, name, got)
						}
					}
					if lines[i] != string(row) {
						t.Errorf("line %d: %s, want %s", i, lines[i], row)
					}
				}
				name := map[bool]string{true: "Sums"}[strings.HasPrefix(tt.document, "query Sums")]
				for key := range response.Data {
					if name == "" {
						name = key
					}
				}
				if got := f.header.Get("Content-Disposition"); got != fmt.Sprintf("attachment; filename=%q", name+".ndjson") {
					t.Error(got)
				}
			})
		}
		g.awaitNoSlot()
		g.wantNoMemory()
		g.awaitLog(`"download":{"complete":true,"reason":"","records":1,"pages":3,"clientLeft":false}`)
	})
}

// TestDownloadSummaryFaults: a file says the same about its sums as the query. CSV of which records are missing breaks
// the connection, because a sum of a part looks like any other.
func TestDownloadSummaryFaults(t *testing.T) {
	replace := func(old, new string) func([]byte) []byte {
		return func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(old), []byte(new)) }
	}
	second := func(r *http.Request) bool { return r.URL.Query().Get("page") == "2" }
	for _, tt := range []struct {
		reason, arguments string
		fault             sandbox.Fault
		pages             int
		code              string
		cut               bool
	}{
		{"PAGE_FAILED", "", sandbox.Fault{Match: second, Status: 500}, 1, "UPSTREAM_ERROR", true},
		{"PAGING_UNKNOWN", "", sandbox.Fault{Match: second, Mutate: replace(`"currentPage":2`, `"currentPage":3`)}, 1, "PAGINATION_UNSUPPORTED", true},
		{"PAGE_LIMIT", "(maxPages: 2, groupBy: [ORIGIN])", sandbox.Fault{Match: func(*http.Request) bool { return false }}, 2, "", true},
		{"TOTAL_CHANGED", "(groupBy: [ORIGIN])", sandbox.Fault{Match: second, Mutate: replace(`"total":240`, `"total":241`)}, 3, "", false},
		{"RECORD_UNREADABLE", "", sandbox.Fault{Match: second, Mutate: replace(`"amount":`, `"sum":`)}, 3, "", false},
	} {
		bubble(t, tt.reason, func(t *testing.T) {
			g := start(t)
			defer g.Box.Inject(tt.fault)()
			document := "{ depositSummary" + tt.arguments + " { count amount reason complete } }"
			if tt.arguments != "" {
				document = "{ depositSummary" + tt.arguments + " { reason complete groups { depositOrigin count amount } } }"
			}
			answer := g.Query(document)
			if answer.Text("depositSummary", "reason") != tt.reason {
				t.Fatalf("%s", answer.Body)
			}
			rows, end := g.download("application/x-ndjson", document).want(tt.reason).lines()
			if end.Complete || end.Reason != tt.reason || end.Pages != tt.pages || len(rows) == 0 || !strings.Contains(string(answer.Body), rows[0]) {
				t.Errorf("%q %+v", rows, end)
			}
			code := ""
			if len(end.Errors) > 0 {
				code = end.Errors[0].Extensions["code"].(string)
			}
			if code != tt.code {
				t.Errorf("the error is %q, want %q", code, tt.code)
			}
			resp := g.openDownload("text/csv", document)
			body, err := io.ReadAll(resp.Body)
			if errors.Is(err, io.ErrUnexpectedEOF) != tt.cut || !tt.cut && resp.Trailer.Get("X-Pixgraph-Reason") != tt.reason {
				t.Errorf("%v, trailer %v: %s", err, resp.Trailer, body)
			}
			g.awaitNoSlot()
		})
	}
}

// TestDownloadReconciliation: the file of a list and summaries is that of the list. The summaries are neither read nor
// paid for, whatever they would cost.
func TestDownloadReconciliation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		example, err := os.ReadFile("../web/operations/reconciliation.graphql")
		must(t, err)
		g := start(t, func(o *options) {
			o.Serve.Limits.MaxCost, o.Serve.Limits.Rate.PerIdentity = 10, limits.Rate{PerSecond: 0.001, Burst: 20}
		})
		f := g.download("text/csv", string(example), variables{"sums": true}).want("")
		var got []string
		for _, row := range f.rows()[1:] {
			got = append(got, row[0])
		}
		if ids := g.depositIDs(); !slices.Equal(got, ids) || f.rows()[0][0] != "id" {
			t.Errorf("%d rows of %d", len(got), len(ids))
		}
		if left := f.header.Get("RateLimit"); !strings.Contains(left, ";r=19;") {
			t.Errorf("RateLimit: %s", left)
		}
		g.Box.ResetCalls()
		g.download("text/csv", `{ ... { withdrawalSummary(maxPages: 0) { count } }
			... { deposits { nodes { id } } s: depositSummary(maxPages: 2000) { count } } }`).want("")
		want := []string{"core /core/v1/deposit?perPage=100", "core /core/v1/deposit?page=2&perPage=100", "core /core/v1/deposit?page=3&perPage=100"}
		if calls := g.Calls(); !slices.Equal(calls, want) {
			t.Errorf("%q", calls)
		}
		g.Query(string(example), variables{"sums": true}).WantError("LIMIT_EXCEEDED")
	})
}
