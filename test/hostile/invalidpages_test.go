package hostile

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// invalidPages have 100 records with invalid values in every field, and each field is requested many times: the
// response has at most 100 errors.
func invalidPages(t *testing.T, g *gateway) {
	record := `{"webhookUrl":7,"externalCode":{},"id":[],"pixResponse":"x","statusHistory":[1,2,3,4,5,6,7,8,9,null],"payer":1,"amountPaid":"x","feeAmount":[]}`
	page := `{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[` + strings.Repeat(record+",", 99) + record + `]}`
	t.Cleanup(g.box.Inject(sandbox.Fault{
		Route: sandbox.RouteDeposit, Body: []byte(page), Match: func(r *http.Request) bool { return r.URL.Query().Get("perPage") == "100" },
	}))
	const clients = 8
	for _, tt := range []struct{ name, selection string }{
		{"fields", "nodes {" + aliases(48, "webhookUrl") + strings.ReplaceAll(aliases(48, "externalCode"), " a", " b") + " }"},
		{"records", aliases(48, "nodes { ...F }") + " } } fragment F on Deposit { webhookUrl externalCode pixResponse { uri } amountPaid feeAmount payer { name"},
		{"elements", "nodes {" + aliases(16, "statusHistory { status }") + " }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := asked(`{ deposits(perPage: 100) { ` + tt.selection + " } }")
			got := post(body)(t, g)
			var a answer
			if err := json.Unmarshal([]byte(got.body), &a); err != nil || got.status != http.StatusOK || len(a.Errors) == 0 || len(a.Errors) > 101 {
				t.Fatalf("status %d with %d errors, %v: %.300s", got.status, len(a.Errors), err, got.body)
			}
			c := g.startClients(clients, g.callers(1), body, "", nil)
			g.wantServing(t, c.begun)
			c.wantStatuses(t, http.StatusOK, http.StatusServiceUnavailable)
		})
	}
}
