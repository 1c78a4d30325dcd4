package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/test/gatewaytest"
)

// TestLongArguments: a request may have the same long text or list for each of many fields. Each is rejected without
// being read, so that the request allocates little more than its body takes.
func TestLongArguments(t *testing.T) {
	const fields = 55
	text, list := strings.Repeat("A\n", 100_000), strings.Repeat(",PAID", 9000)
	for _, tt := range []struct{ typ, field, value string }{
		{"String!", "pixKey(text: $v) { type }", text},
		{"String!", "pixCode(text: $v) { key }", text},
		{"ID!", "transaction(id: $v) { id }", text},
		{"ID!", "withdrawal(id: $v) { id }", text},
		{"ID!", "notification(id: $v) { id }", text},
		{"String", "deposits(after: $v) { totalCount }", text},
		{"DateTime", "deposits(filter: {startDate: $v}) { totalCount }", text},
		{"String!", "depositSummary(timeZone: $v maxPages: 1) { count }", text},
		{"String", "depositSummary(toDay: $v maxPages: 1) { count }", text},
		{"[DepositStatus!]", "deposits(filter: {status: $v}) { totalCount }", list},
		{"[DepositGrouping!]", "depositSummary(groupBy: $v maxPages: 1) { count }", strings.ReplaceAll(list, "PAID", "STATUS")},
		{"[TransactionStatus!]!", `awaitTransaction(id: "" until: $v) { id }`, list},
	} {
		t.Run(tt.field, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gatewaytest.Start(t)
				var document strings.Builder
				for i := range fields {
					fmt.Fprintf(&document, "f%d: %s ", i, tt.field)
				}
				var value any = tt.value
				if strings.HasPrefix(tt.typ, "[") {
					value = strings.Split(tt.value[1:], ",")
				}
				body, err := json.Marshal(map[string]any{
					"query": "query($v: " + tt.typ + ") { " + document.String() + "}", "variables": gatewaytest.Variables{"v": value},
				})
				must(t, err)
				allocated := func() uint64 {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					response := g.Post(http.Header{"Authorization": {"Bearer " + g.Token}, "Content-Type": {"application/json"}}, body)
					runtime.ReadMemStats(&after)
					if tt.value == list && !strings.Contains(string(response.Body), "variable $v has more than 1000 elements") {
						t.Errorf("%.500s", response.Body)
					}
					return after.TotalAlloc - before.TotalAlloc
				}
				allocated() // fills the caches
				if got, most := allocated(), uint64(20*len(body)+2<<20); got > most {
					t.Errorf("%d bytes are allocated for a body of %d", got, len(body))
				}
				g.WantNoCalls()
			})
		})
	}
}
