package serve_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// everything selects lists, records and links from every route of the APIs.
const everything = `query($t: ID!, $ts: [ID!]!, $n: ID!, $ns: [ID!]!, $w: ID!) {
	deposits(first: 5) {
		totalCount pageInfo { hasNextPage endCursor }
		edges { cursor node { id amount status statusRaw payer { name } statusHistory { status } } }
	}
	withdrawals(page: 1, perPage: 5) { currentPage nodes { id amount status payer { name } } }
	withdrawal(id: $w) { id endToEnd }
	transaction(id: $t) { id status items { title } customer { name document { value } } }
	transactions(ids: $ts) { id amount }
	notification(id: $n) { id referenceId transaction { id status } withdrawal { id } executions { headers } }
	notifications(ids: $ns) { id statusHistory { status } transaction { amount } }
}`

// faults are all faults of the sandbox.
func faults() map[string]sandbox.Fault {
	all := map[string]sandbox.Fault{
		"latency":      {Latency: 5 * time.Millisecond},
		"media type":   {ContentType: "text/plain"},
		"a long wait":  {Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3600"}}},
		"other shapes": {Body: []byte(`{"id":5,"data":{"a":[]},"total":"1"}`)},
	}
	for _, kind := range []sandbox.FaultKind{
		sandbox.FaultReset, sandbox.FaultResetBody, sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultDrip, sandbox.FaultTruncate,
		sandbox.FaultEmpty, sandbox.FaultHTML, sandbox.FaultBadJSON, sandbox.FaultHuge, sandbox.FaultGzipBomb, sandbox.FaultRedirect,
	} {
		fault := sandbox.Fault{Kind: kind, Location: "http://127.0.0.1:1/", Interval: time.Minute}
		if kind == sandbox.FaultHuge || kind == sandbox.FaultGzipBomb {
			fault.Size = 512 << 10 // above the limit of bodies
		}
		all[string(kind)] = fault
	}
	for _, status := range []int{204, 304, 400, 401, 403, 404, 410, 422, 429, 500, 502, 503, 504, 599} {
		all[strconv.Itoa(status)] = sandbox.Fault{Status: status}
	}
	return all
}

// both is two gateways over one sandbox, of which one does not share calls between requests.
type both struct {
	*gateway
	other *gateway
	body  []byte // of a request for everything
}

// startBoth starts them with a number of retries, and with a request in which the lists of ids lack the first ones that
// are selected by themselves.
func startBoth(t testing.TB, retries, lacking int) both {
	t.Helper()
	config := func(o *options) {
		o.Upstream.MaxBody, o.Upstream.Retries = 256<<10, retries
		o.Upstream.Breaker.Percent = 0 // otherwise there would be no calls after the first faults
	}
	g := start(t, config)
	other := start(t, config, func(o *options) { o.Box, o.Network, o.Upstream.Coalesce = g.Box, g.Network, false })
	ids := g.transactionIDs(3)
	notifications := g.notificationsOf(t, 2, 2)
	body, err := json.Marshal(map[string]any{"query": everything, "variables": variables{
		"t": ids[0], "ts": ids[lacking:], "n": notifications[0], "ns": notifications[lacking:], "w": g.Box.Ledger().Withdrawals()[0].ID,
	}})
	must(t, err)
	return both{g, other, body}
}

// wantSame fails the test unless both gateways respond with the same bytes under a fault, with errors unless it is
// harmless.
func (b both) wantSame(t testing.TB, fault sandbox.Fault, harmless bool) {
	t.Helper()
	defer b.Box.Inject(fault)()
	post := func(g *gateway) response {
		return g.Post(http.Header{"X-Request-Id": {"same"}}, b.body)
	}
	var one, two response
	var sending sync.WaitGroup
	sending.Go(func() { one = post(b.gateway) })
	sending.Go(func() { two = post(b.other) })
	sending.Wait()
	if !bytes.Equal(one.Body, two.Body) {
		t.Errorf("%s\n%s", around(one.Body, two.Body), around(two.Body, one.Body))
	}
	if one.Status != http.StatusOK || !json.Valid(one.Body) {
		t.Errorf("%d %.300s", one.Status, one.Body)
	}
	if harmless == (len(one.Errors) > 0) {
		t.Errorf("%d errors: %.600s", len(one.Errors), one.Body)
	}
}

// TestEverythingUnderFaults sends a request for everything under every fault of the sandbox: on all routes at the same
// time, and on each route. On one route nothing waits, because its records are those of several fields.
func TestEverythingUnderFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all, each := startBoth(t, 1, 1), startBoth(t, 0, 0)
		for name, fault := range faults() {
			harmless := name == "latency" || name == "media type"
			gatewaytest.Row(t, name, func(t testing.TB) { all.wantSame(t, fault, harmless) })
			if fault.Latency > 0 || slices.Contains([]sandbox.FaultKind{sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultDrip}, fault.Kind) {
				continue
			}
			for _, route := range []string{sandbox.RouteDeposit, sandbox.RouteWithdrawal, sandbox.RouteTransaction, sandbox.RouteNotification} {
				fault.Route = route
				gatewaytest.Row(t, name+" "+route, func(t testing.TB) { each.wantSame(t, fault, harmless) })
			}
		}
	})
}
