package serve_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

const awaitPaid = `query($id: ID!, $until: [TransactionStatus!] = [PAID], $seconds: Int = 50) {
	payment: awaitTransaction(id: $id, until: $until, timeoutSeconds: $seconds) { ...F }
}
fragment F on Transaction { id status amount payer { name } statusHistory { status } }`

// waiting sends a query in the background, and returns when its streams have begun.
func (g *gateway) waiting(streams int, token, document string, vars ...variables) <-chan response {
	g.T.Helper()
	responses := make(chan response, 1)
	go func() { responses <- g.QueryAs(token, document, vars...) }()
	g.awaitStreams(streams)
	return responses
}

// awaitNoSlot returns when no operation has a slot: an operation releases it soon after its streams have begun, and
// soon after its response is sent.
func (g *gateway) awaitNoSlot() {
	g.T.Helper()
	g.await("a release of all slots", func() bool {
		admitted, _ := g.Handler.Operations()
		return admitted == 0
	})
}

// pending makes the open payment of the sandbox PENDING, and returns its id.
func (g *gateway) pending() (id string) {
	id = g.Box.Samples().OpenTransaction
	g.Box.Ledger().SetStatus(id, "PENDING")
	return id
}

// TestAwaitTransaction: the field responds when the status is reached, with what the query responds. While it waits it
// holds no slot, and when it has waited it makes no further call.
func TestAwaitTransaction(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.pending()
		g.Box.ResetCalls()
		waiting := g.waiting(1, g.Token, awaitPaid, variables{"id": id})
		g.awaitNoSlot()
		g.Box.Ledger().SetStatus(id, "PAID")
		got := (<-waiting).WantOK()
		if got.Text("payment", "status") != "PAID" {
			t.Errorf("%s", got.Body)
		}
		g.awaitStreams(0)
		if reads := g.Handler.Live().Reads; len(g.Calls()) != int(reads) {
			t.Errorf("%d calls, of which %d are reads of the stream", len(g.Calls()), reads)
		}
		query := strings.NewReplacer(`, $until: [TransactionStatus!] = [PAID], $seconds: Int = 50`, "",
			"awaitTransaction", "transaction", ", until: $until, timeoutSeconds: $seconds", "").Replace(awaitPaid)
		want := g.Query(query, variables{"id": id}).WantOK()
		if string(membersOf(t, got.Body)["data"]) != string(membersOf(t, want.Body)["data"]) {
			t.Errorf("responds %s, the query %s", got.Body, want.Body)
		}
	})
}

// TestAwaitWithdrawal: several fields wait at the same time, and the other fields are executed after them.
func TestAwaitWithdrawal(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id, withdrawal := g.pending(), g.Box.Ledger().Withdrawals()[0].ID
		waiting := g.waiting(1, g.Token, `query($id: ID!, $withdrawal: ID!) {
			awaitWithdrawal(id: $withdrawal, until: [PENDING, PROCESSING, PROCESSED, CANCELED, REJECTED]) { id }
			...Q
			transaction(id: $id) { status }
		} fragment Q on Query { a: awaitTransaction(id: $id, until: [PAID]) { status } }`,
			variables{"id": id, "withdrawal": withdrawal})
		g.Box.Ledger().SetStatus(id, "PAID")
		a := (<-waiting).WantOK()
		if a.Text("awaitWithdrawal", "id") != withdrawal || a.Text("a", "status") != "PAID" || a.Text("transaction", "status") != "PAID" {
			t.Errorf("%s", a.Body)
		}
	})
}

// TestAwaitErrors: invalid arguments are refused, and other errors are those of the query.
func TestAwaitErrors(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		unknown := "00000000-0000-4000-8000-000000000000"
		for name, tt := range map[string]struct {
			vars variables
			code string
		}{
			"no status":         {variables{"id": id, "until": []string{}}, "BAD_USER_INPUT"},
			"UNKNOWN":           {variables{"id": id, "until": []string{"PAID", "UNKNOWN"}}, "BAD_USER_INPUT"},
			"no time":           {variables{"id": id, "seconds": 0}, "BAD_USER_INPUT"},
			"too long":          {variables{"id": id, "seconds": 51}, "BAD_USER_INPUT"},
			"not a UUID":        {variables{"id": "1"}, "BAD_USER_INPUT"},
			"an unknown record": {variables{"id": unknown}, "NOT_FOUND"},
		} {
			g.row(name, func(_ testing.TB, g *gateway) { g.Query(awaitPaid, tt.vars).WantError(tt.code, "payment") })
		}
		if reads := g.Box.Counters().Core; reads > 2 { // the id that is not a UUID makes at most one call, as in the query
			t.Errorf("%d calls", reads)
		}
		g.Box.ResetCalls()
		defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Status: http.StatusForbidden})()
		g.Query(awaitPaid, variables{"id": id}).WantError("FORBIDDEN", "payment")
		g.WantCalls(1, g.Token)
	})
}

// TestAwaitThroughOutage: an API that fails for a while ends no wait.
func TestAwaitThroughOutage(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Upstream.Breaker.Percent = 0 }), func(t *testing.T, g *gateway) {
		id := g.pending()
		undo := g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Status: http.StatusServiceUnavailable})
		waiting := g.waiting(1, g.Token, awaitPaid, variables{"id": id})
		g.await("failed reads", func() bool { return g.Handler.Live().Failed >= 2 })
		g.Box.Ledger().SetStatus(id, "PAID")
		undo()
		if a := (<-waiting).WantOK(); a.Text("payment", "status") != "PAID" {
			t.Errorf("%s", a.Body)
		}
		defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Status: http.StatusServiceUnavailable})()
		g.Query(awaitPaid, variables{"id": id, "until": []string{"REFUNDED"}, "seconds": 1}).WantError("UPSTREAM_ERROR", "payment")
	})
}

// TestAwaitClientLeaves: the streams of an operation end when its client disconnects.
func TestAwaitClientLeaves(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			body := `{"query":"{ awaitTransaction(id: \"` + id + `\", until: [REFUNDED]) { id } }"}`
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/graphql", strings.NewReader(body))
			must(t, err)
			req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + g.Token}}
			_, err = g.HTTP.Do(req)
			ended <- err
		}()
		g.awaitStreams(1)
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		g.awaitStreams(0)
	})
}

// TestAwaitOverload: more operations may wait than may run, and queries are admitted in the meantime. What they hold is
// counted.
func TestAwaitOverload(t *testing.T) {
	const waits, slots = 1500, 1000
	runWith(t, with(quick, func(o *options) {
		o.Serve.MaxOperations, o.Serve.MaxMemory, o.Serve.Live.StreamsPerCaller = slots, 192<<20, 2*waits
	}), func(t *testing.T, g *gateway) {
		id := g.pending()
		var running sync.WaitGroup
		for begun := 0; begun < waits; { // in groups, since each needs a slot until it waits
			for range slots / 4 {
				begun++
				running.Go(func() {
					if a := g.Query(awaitPaid, variables{"id": id}); len(a.Errors) > 0 || a.Text("payment", "status") != "PAID" {
						t.Errorf("%d: %s", a.Status, a.Body)
					}
				})
			}
			g.awaitStreams(begun)
			g.awaitNoSlot()
		}
		g.Query(deposits(1)).WantOK()
		if held := g.Handler.Stats().StreamBytes; held < waits*(28<<10) {
			t.Errorf("the waits hold %d bytes", held)
		}
		g.QueryAs(g.Box.Issuer().Mint(issuer.Grant{Subject: "another"}), `query($id: ID!) {
			awaitTransaction(id: $id, until: [PENDING]) { id }
		}`, variables{"id": id}).WantOK()
		g.Box.Ledger().SetStatus(id, "PAID")
		running.Wait()
		g.awaitNoSlot()
		if _, refused := g.Handler.Operations(); refused != 0 {
			t.Errorf("%d were refused", refused)
		}
	})
}

// TestAwaitMemory: the waits of a caller hold no more memory than its streams may hold, and release it.
func TestAwaitMemory(t *testing.T) {
	few := func(o *options) { o.Serve.Live.StreamsPerCaller = 256 } // which may hold 4 MiB
	runWith(t, with(quick, few), func(t *testing.T, g *gateway) {
		id := g.pending()
		var running sync.WaitGroup
		for begun := range 128 {
			running.Go(func() { g.Query(awaitPaid, variables{"id": id}).WantOK() })
			g.awaitStreams(begun + 1)
		}
		two := strings.Replace(awaitPaid, "payment:", "a: awaitTransaction(id: $id, until: [PAID]) { id } payment:", 1)
		for range 20 { // each would hold 36 KiB
			running.Go(func() {
				if a := g.Query(two, variables{"id": id}); len(a.Errors) > 0 && a.Errors[0].Extensions["limit"] != "liveBytes" {
					t.Errorf("%s", a.Body)
				}
			})
		}
		g.await("a refusal", func() bool { return g.Handler.Stats().LimitsHit["liveBytes"] > 0 })
		if held := g.Handler.Stats().StreamBytes; held > 4<<20 {
			t.Errorf("%d bytes", held)
		}
		other := g.Box.Issuer().Mint(issuer.Grant{Subject: "another"})
		g.QueryAs(other, awaitPaid, variables{"id": id, "until": []string{"PENDING"}}).WantOK()
		g.Box.Ledger().SetStatus(id, "PAID")
		running.Wait()
		g.awaitNoStreams(t)
	})
}

// TestAwaitTimeout: when the time is over, the field responds with the record as it is then. Neither the timeout of
// operations nor the HTTP server's timeouts cut a wait.
func TestAwaitTimeout(t *testing.T) {
	const timeout = 10 * time.Second
	runWith(t, func(o *options) { o.Serve.OperationTimeout = timeout }, func(t *testing.T, g *gateway) {
		g.URL = g.Network.Serve(t, g.Handler, func(server *http.Server) { server.ReadTimeout, server.WriteTimeout = timeout, timeout })
		id, began := g.pending(), time.Now()
		a := g.Query(awaitPaid, variables{"id": id, "until": []string{"REFUNDED"}, "seconds": 11}).WantOK()
		if a.Text("payment", "status") != "PENDING" || time.Since(began) != 11*time.Second {
			t.Errorf("after %s: %s", time.Since(began), a.Body)
		}
	})
}

// TestAwaitTwice: an operation that waits twice for a record responds with the newest reading of it.
func TestAwaitTwice(t *testing.T) {
	for name, until := range map[string]string{
		"both reached":  `[PAID]`,
		"one timed out": `[REFUNDED], timeoutSeconds: 2`,
	} {
		bubble(t, name, func(t *testing.T) {
			g := start(t, quick)
			id := g.pending()
			waiting := g.waiting(1, g.Token, `query($id: ID!) {
				early: awaitTransaction(id: $id, until: [PENDING]) { status }
				late: awaitTransaction(id: $id, until: `+until+`) { status }
			}`, variables{"id": id})
			g.await("an early end", func() bool { return g.Handler.Live().Events["REACHED"] > 0 })
			g.Box.Ledger().SetStatus(id, "PAID")
			if a := (<-waiting).WantOK(); a.Text("early", "status") != "PAID" || a.Text("late", "status") != "PAID" {
				t.Errorf("%s", a.Body)
			}
		})
	}
}
