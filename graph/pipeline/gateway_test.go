package pipeline_test

import (
	"flag"
	"testing"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox/ledger"
)

// reference runs the suite without the fast path. `make test` runs the suite both ways, except the tests that compare both.
var reference = flag.Bool("reference", false, "let gqlgen write every response")

// TestMain lets more tests run in parallel than there are processors, because the parallel tests wait for timeouts.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	leaktest.Main(m)
}

// shortTimeout is the timeout of calls that get no response. All other calls must end within it, on a busy machine too, so
// it is long. The tests that wait for it run in parallel, each with its own gateway, which is warm.
const shortTimeout = 10 * time.Second

type (
	options   = gatewaytest.Options
	response  = gatewaytest.Response
	variables = gatewaytest.Variables
)

// gateway is a running gateway with the helpers of these tests.
type gateway struct{ *gatewaytest.Gateway }

func start(t testing.TB, changes ...func(*options)) *gateway {
	t.Helper()
	withReference := func(o *options) { o.Pipeline.WithoutFastPath = *reference }
	return &gateway{gatewaytest.Start(t, append([]func(*options){withReference}, changes...)...)}
}

// warm makes the gateway fetch the issuer's keys and connect to the APIs, which takes time. Tests with a timeout call it
// before t.Parallel, so that it runs in one test at a time.
func (g *gateway) warm() {
	g.T.Helper()
	g.Query("query($n: ID!) { deposits(perPage: 1) { totalCount } notification(id: $n) { id } }",
		variables{"n": g.Box.Ledger().Notifications()[0].ID}).WantOK()
	g.Box.ResetCalls()
}

// within is the gateway in a subtest.
func (g *gateway) within(t *testing.T) *gateway { return &gateway{g.Within(t)} }

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
