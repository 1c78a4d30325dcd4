package serve_test

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/sandbox"
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

// runWith is run with other settings.
func runWith(t *testing.T, change func(*options), test func(*testing.T, *gateway)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, start(t, change)) })
}

// with makes several changes to the settings.
func with(changes ...func(*options)) func(*options) {
	return func(o *options) {
		for _, change := range changes {
			change(o)
		}
	}
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

// awaitNoMemory waits until requests hold no memory.
func (g *gateway) awaitNoMemory() {
	g.T.Helper()
	g.await("the release of all memory", func() bool { return g.Handler.Stats().MemoryHeld == 0 })
}

// wantNoMemory fails the test if requests hold memory.
func (g *gateway) wantNoMemory() {
	g.T.Helper()
	if held := g.Handler.Stats().MemoryHeld; held != 0 {
		g.T.Errorf("%d bytes are held", held)
	}
}

// replace replaces what matches a pattern in the bodies of a route, and returns a function that ends this.
func (g *gateway) replace(route, pattern, by string) (undo func()) {
	matches := regexp.MustCompile(pattern)
	return g.Box.Inject(sandbox.Fault{Route: route, Mutate: func(body []byte) []byte { return matches.ReplaceAll(body, []byte(by)) }})
}

// request is a request with a body, or without one.
func (g *gateway) request(method, target, body string) *http.Request {
	g.T.Helper()
	req, err := http.NewRequestWithContext(g.T.Context(), method, g.URL+target, strings.NewReader(body))
	must(g.T, err)
	return req
}

// write sends an operation over a new connection by a version of HTTP, and returns the connection.
func (g *gateway) write(version, accept, document string) net.Conn {
	g.T.Helper()
	conn, body := g.Dial(), fmt.Sprintf(`{"query":%q}`, document)
	_, err := fmt.Fprintf(conn, "POST /graphql HTTP/%s\r\nHost: x\r\nContent-Type: application/json\r\nAccept: %s\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", version, accept, g.Token, len(body), body)
	must(g.T, err)
	return conn
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
