package serve_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
)

// TestFourRootFields: four root fields make exactly four calls, all at the same time.
func TestFourRootFields(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		gate := make(chan struct{})
		g.Box.Inject(sandbox.Fault{Gate: gate})
		responses := make(chan response, 1)
		go func() {
			responses <- g.Query(`query($t: ID!, $n: ID!) {
				deposits(perPage: 20) { nodes { id } } withdrawals(perPage: 20) { nodes { id } }
				transaction(id: $t) { id } notification(id: $n) { id } }`,
				variables{"t": g.Box.Ledger().Transactions()[0].ID, "n": g.Box.Ledger().Notifications()[0].ID})
		}()
		g.AwaitCalls(4) // none has a response yet
		close(gate)
		a := (<-responses).WantOK()
		if len(a.IDs("deposits")) != 20 || len(a.IDs("withdrawals")) != 20 || a.At("transaction") == nil || a.At("notification") == nil {
			t.Errorf("data: %.300s", a.Body)
		}
		g.WantCalls(4, g.Token)
	})
}

// TestLinksOfLists: the links of the records of a list are followed at the same time.
func TestLinksOfLists(t *testing.T) {
	runWith(t, subgraph, func(t *testing.T, g *gateway) {
		ids := g.notificationsOf(t, 5, 1)
		var representations []any
		for _, id := range ids {
			representations = append(representations, map[string]any{"__typename": "Notification", "id": id})
		}
		for document, values := range map[string]variables{
			`query($ids: [ID!]!) { list: notifications(ids: $ids) { referenceId transaction { id } } }`:                               {"ids": ids},
			`query($r: [_Any!]!) { list: _entities(representations: $r) { ... on Notification { referenceId transaction { id } } } }`: {"r": representations},
		} {
			g.Box.ResetCalls()
			gate := make(chan struct{})
			undo := g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Gate: gate})
			responses := make(chan response, 1)
			go func() { responses <- g.Query(document, values) }()
			g.AwaitCalls(10) // no transaction has a response yet
			close(gate)
			a := (<-responses).WantOK()
			for i := range ids {
				if !strings.EqualFold(a.Text("list", i, "referenceId"), a.Text("list", i, "transaction", "id")) {
					t.Errorf("%d has another transaction than its own: %s", i, a.Body)
				}
			}
			g.WantCalls(10, g.Token)
			undo()
		}
	})
}

// TestNoCallOutlivesItsOperation: a response that becomes too long before its links are written waits for their calls.
func TestNoCallOutlivesItsOperation(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.Bytes.Answer = 400 }, func(t *testing.T, g *gateway) {
		ids := g.notificationsOf(t, 5, 1)
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Gate: gate})()
		g.Box.ResetCalls()
		responses := make(chan response, 1)
		go func() {
			responses <- g.Query("query($ids: [ID!]!) { notifications(ids: $ids) { "+aliases(49, "url")+" transaction { id } } }", variables{"ids": ids})
		}()
		synctest.Wait() // for the transactions, or for nothing
		if calls := g.Calls(); len(responses) > 0 && len(calls) > len(ids) {
			t.Errorf("the response did not wait for %s", calls)
		}
		close(gate)
		(<-responses).WantError("LIMIT_EXCEEDED")
	})
}

// notificationsOf adds notifications of some transactions to the sandbox and returns their ids.
func (g *gateway) notificationsOf(t testing.TB, transactions, per int) []string {
	t.Helper()
	var ids []string
	for _, transaction := range g.transactionIDs(transactions) {
		for range per {
			id := fmt.Sprintf("%024x", 0xabc000+len(ids))
			g.put(ledger.Notification, notification(id, transaction))
			ids = append(ids, id)
		}
	}
	return ids
}

// TestEachIDOnce: an operation fetches each record once, however many fields select it. The next operation fetches it
// again.
func TestEachIDOnce(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		withdrawal := g.Box.Ledger().Withdrawals()[0].ID
		document := `query($id: ID!, $upper: ID!, $w: ID!, $upperW: ID!) {
			a: transaction(id: $id) { id } b: transaction(id: $upper) { amount }
			c: transactions(ids: [$id, $upper, $id]) { status }
			d: withdrawal(id: $w) { id } e: withdrawal(id: $upperW) { id } }`
		for round := 1; round <= 2; round++ {
			a := g.Query(document, variables{"id": id, "upper": strings.ToUpper(id), "w": withdrawal, "upperW": strings.ToUpper(withdrawal)}).WantOK()
			if len(a.List("c")) != 3 {
				t.Errorf("c: %v", a.At("c"))
			}
			if calls := g.Calls(); len(calls) != 2*round {
				t.Errorf("after round %d: %s", round, calls)
			}
		}
	})
}
