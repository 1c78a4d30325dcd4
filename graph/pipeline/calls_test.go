package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/ledger"
)

// patience is how long a test waits for what must happen; nothing is decided by it.
const patience = 2 * time.Minute

// TestFourRootFields makes exactly four calls, all of them under way at the same time.
func TestFourRootFields(t *testing.T) {
	g := start(t)
	gate := make(chan struct{})
	g.box.Inject(sandbox.Fault{Gate: gate})
	answered := make(chan answer, 1)
	go func() {
		answered <- g.query(`query($t: ID!, $n: ID!) {
			deposits(perPage: 20) { nodes { id } } withdrawals(perPage: 20) { nodes { id } }
			transaction(id: $t) { id } notification(id: $n) { id } }`,
			variables{"t": g.box.Ledger().Transactions()[0].ID, "n": g.box.Ledger().Notifications()[0].ID})
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, g.box.AwaitCalls(ctx, 4)) // none of them has been answered yet
	close(gate)
	a := (<-answered).ok()
	if len(a.ids("deposits")) != 20 || len(a.ids("withdrawals")) != 20 || a.at("transaction") == nil || a.at("notification") == nil {
		t.Errorf("data: %.300s", a.body)
	}
	g.wantCalls(4, g.token)
}

// TestLinkFanOut follows 20 notifications to their 5 transactions: 25 calls, whatever the fields that ask.
func TestLinkFanOut(t *testing.T) {
	g := start(t)
	ids := g.notificationsOf(t, 5, 4)
	var document strings.Builder
	document.WriteString("{")
	for i, id := range ids {
		fmt.Fprintf(&document, " n%d: notification(id: %q) { id referenceId transaction { id amount } }", i, id)
	}
	document.WriteString(" }")
	g.box.ResetCalls()
	a := g.query(document.String()).ok()
	for i := range ids {
		alias := fmt.Sprintf("n%d", i)
		if !strings.EqualFold(a.text(alias, "referenceId"), a.text(alias, "transaction", "id")) {
			t.Errorf("%s has the transaction of another", alias)
		}
	}
	g.wantCalls(25, g.token)
}

// notificationsOf puts notifications into the sandbox, so many for each of so many transactions.
func (g *gateway) notificationsOf(t *testing.T, transactions, per int) []string {
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

// TestEachIDOnce: a record is fetched once per operation, however it is asked for, and anew for the next one.
func TestEachIDOnce(t *testing.T) {
	g := start(t)
	id := g.transactionIDs(1)[0]
	withdrawal := g.box.Ledger().Withdrawals()[0].ID
	document := `query($id: ID!, $upper: ID!, $w: ID!, $upperW: ID!) {
		a: transaction(id: $id) { id } b: transaction(id: $upper) { amount }
		c: transactions(ids: [$id, $upper, $id]) { status }
		d: withdrawal(id: $w) { id } e: withdrawal(id: $upperW) { id } }`
	for round := 1; round <= 2; round++ {
		a := g.query(document, variables{"id": id, "upper": strings.ToUpper(id), "w": withdrawal, "upperW": strings.ToUpper(withdrawal)}).ok()
		if len(a.list("c")) != 3 {
			t.Errorf("c: %v", a.at("c"))
		}
		if calls := g.calls(); len(calls) != 2*round {
			t.Errorf("after round %d: %s", round, calls)
		}
	}
}

// TestParallelBound: one operation has no more calls under way than it may, and still gets them all.
func TestParallelBound(t *testing.T) {
	g := start(t, func(o *options) { o.client.OperationConcurrency = 3 })
	g.box.Inject(sandbox.Fault{Latency: time.Millisecond})
	ids := g.transactionIDs(30)
	a := g.query("query($ids: [ID!]!) { transactions(ids: $ids) { id } }", variables{"ids": ids}).ok()
	var got []string
	for i := range a.list("transactions") {
		got = append(got, a.text("transactions", i, "id"))
	}
	if !slices.Equal(got, ids) {
		t.Error("the transactions are not in the order of their ids")
	}
	if peak := g.box.Counters().Peak; peak > 3 {
		t.Errorf("%d calls were under way at the same time, 3 may be", peak)
	}
}

// TestOperationDeadline: what has come by the deadline of the operation is answered, the rest is an error of its field.
func TestOperationDeadline(t *testing.T) {
	g := start(t, func(o *options) { o.graph.OperationTimeout = lateness })
	g.warm()
	t.Parallel()
	g.box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Kind: sandbox.FaultHang})
	a := g.query("query($id: ID!) { transaction(id: $id) { id } deposits { totalCount } }", variables{"id": g.transactionIDs(1)[0]})
	a.wantError("UPSTREAM_TIMEOUT", "transaction")
	if len(a.errors) != 1 || a.at("deposits") == nil || a.at("transaction") != nil {
		t.Errorf("%s", a.body)
	}
}

// TestOperationLines: operations with errors are all logged, of the others the first and then one in so many.
func TestOperationLines(t *testing.T) {
	g := start(t, func(o *options) { o.graph.LogOneIn = 3 })
	for range 7 {
		g.query("{ __typename }", nil)
	}
	for range 2 {
		g.query(`{ notification(id: "none") { id } }`, nil)
	}
	if got := strings.Count(g.logs.String(), `"msg":"operation"`); got != 3+2 {
		t.Errorf("%d lines: %s", got, g.logs)
	}
}

// TestOperationLine: the log tells the causes of failed calls, once, without addresses.
func TestOperationLine(t *testing.T) {
	g := start(t)
	g.box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Kind: sandbox.FaultReset})
	g.query("query Named($ids: [ID!]!) { transactions(ids: $ids) { id } deposits { totalCount } }", variables{"ids": g.transactionIDs(5)})
	var line struct {
		Msg, Name, Document string
		Codes, Failures     []string
	}
	for text := range strings.Lines(g.logs.String()) {
		if strings.Contains(text, `"operation"`) {
			must(t, json.Unmarshal([]byte(text), &line))
		}
	}
	if line.Name != "Named" || len(line.Document) != 12 || fmt.Sprint(line.Codes) != "[UPSTREAM_UNAVAILABLE]" {
		t.Errorf("%+v", line)
	}
	if len(line.Failures) != 1 || !strings.HasPrefix(line.Failures[0], "core: get a transaction: unavailable: ") || strings.Contains(line.Failures[0], "127.0.0.1") {
		t.Errorf("failures: %q", line.Failures)
	}
}

// TestErrorsByPosition: in a list of ids, each failure is at its own place.
func TestErrorsByPosition(t *testing.T) {
	g := start(t)
	ids := g.transactionIDs(3)
	g.box.Inject(sandbox.Fault{ID: ids[1], Status: 500})
	a := g.query("query($ids: [ID!]!) { transactions(ids: $ids) { id } }",
		variables{"ids": []string{ids[0], "nonsense", ids[1], "00000000-0000-4000-8000-000000000000", ids[2]}})
	a.wantError("BAD_USER_INPUT", "transactions", 1)
	a.wantError("UPSTREAM_ERROR", "transactions", 2)
	a.wantError("NOT_FOUND", "transactions", 3)
	if len(a.errors) != 3 || a.text("transactions", 0, "id") != ids[0] || a.text("transactions", 4, "id") != ids[2] {
		t.Errorf("%s", a.body)
	}
	g.wantCalls(4, g.token)
}
