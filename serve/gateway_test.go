package serve_test

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/sandbox/ledger"
	"pixgraph/test/gatewaytest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	leaktest.Main(m)
}

type (
	options   = gatewaytest.Options
	response  = gatewaytest.Response
	variables = gatewaytest.Variables
)

// gateway is a running gateway with the helpers of these tests.
type gateway struct{ *gatewaytest.Gateway }

func start(t testing.TB, changes ...func(*options)) *gateway {
	t.Helper()
	return &gateway{gatewaytest.Start(t, changes...)}
}

// small makes the sandbox start in less time.
func small(o *options) { o.Sandbox.Records = 20 }

// run runs a test with a gateway in a bubble, next to others.
func run(t *testing.T, test func(*testing.T, *gateway)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, start(t)) })
}

// bubble runs a subtest with a clock of its own, which moves on when all goroutines wait. It stands still while a
// goroutine waits for a mutex. So a call that hangs or is retried must not be for a record that two fields select:
// dataloader's waiters wait for a mutex.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// row runs a row of a table with the gateway.
func (g *gateway) row(name string, test func(testing.TB, *gateway)) {
	g.T.Helper()
	gatewaytest.Row(g.T, name, func(t testing.TB) { test(t, g.within(t)) })
}

// await waits until a condition is true. It looks more and more rarely, since most waits are short.
func (g *gateway) await(what string, holds func() bool) {
	g.T.Helper()
	for began := time.Now(); !holds(); time.Sleep(max(time.Millisecond, time.Since(began)/100)) {
		if time.Since(began) > gatewaytest.Timeout {
			g.T.Fatalf("%s: does not happen: %+v %+v", what, g.Upstream.Stats(), g.Handler.Live())
		}
	}
}

// within is the gateway in a subtest.
func (g *gateway) within(t testing.TB) *gateway { return &gateway{g.Within(t)} }

// transactionIDs are the ids of the first n transactions.
func (g *gateway) transactionIDs(n int) []string { return idsOf(g.Box.Ledger().Transactions()[:n]) }

func (g *gateway) depositIDs() []string { return idsOf(g.Box.Ledger().Deposits()) }

func idsOf(entries []*ledger.Entry) []string {
	var ids []string
	for _, entry := range entries {
		ids = append(ids, entry.ID)
	}
	return ids
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
