package serve_test

import (
	"strings"
	"testing"

	"pixgraph/graph"
	"pixgraph/sandbox"
)

// TestStats: the counts of queries.
func TestStats(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		n := g.notificationsOf(t, 2, 1)
		g.Query(`query($ids: [ID!]!) { notifications(ids: $ids) { status transaction { id } } __schema { description } }`, variables{"ids": append(n[:2:2], n[0])})
		g.replace(sandbox.RouteDeposit, `"status":"[A-Z_]+","statusHistory"`, `"status":"NEW","statusHistory"`)
		g.Query(`{ deposits(perPage: 3) { nodes { status statusRaw } } }`)
		g.Query(`{ deposits { ` + strings.Repeat("a: totalCount ", 320) + `} }`)

		s := g.Handler.Stats()
		if got := s.Loads["notification"]; got != (graph.Loads{Fetched: 2, Joined: 1}) {
			t.Errorf("notifications: %+v", got)
		}
		transactions := s.Loads["transaction"]
		if total := transactions.Fetched + transactions.Joined; total != 3 || transactions.Fetched > 2 {
			t.Errorf("transactions: %+v", transactions)
		}
		if got := s.UnknownValues["DepositStatus"]; got != 3 || s.UnknownValues["NotificationStatus"] != 0 {
			t.Errorf("unknown values: %v", s.UnknownValues)
		}
		if _, counted := s.UnknownValues["DeliveryVerdict"]; counted {
			t.Error("an enum that no API sends is counted")
		}
		if _, counted := s.LimitsHit["operations"]; !counted {
			t.Error("operations above the limit are not counted")
		}
		if got := s.LimitsHit["validation"]; got != 1 || s.LimitsHit["rate"] != 0 {
			t.Errorf("limits: %v", s.LimitsHit)
		}
	})
}
