package pipeline_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"pixgraph/internal/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// everything asks every route of the APIs for a list, a record, records and links.
const everything = `query($t: ID!, $ts: [ID!]!, $n: ID!, $ns: [ID!]!, $w: ID!) {
	deposits(first: 5) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id amount status statusRaw payer { name } statusHistory { status } } } }
	withdrawals(page: 1, perPage: 5) { currentPage nodes { id amount status payer { name } } }
	withdrawal(id: $w) { id endToEnd }
	transaction(id: $t) { id status items { title } customer { name document { value } } }
	transactions(ids: $ts) { id amount }
	notification(id: $n) { id referenceId transaction { id status } withdrawal { id } executions { headers } }
	notifications(ids: $ns) { id statusHistory { status } transaction { amount } }
}`

// faults are all that a sandbox can do to an answer.
func faults() map[string]sandbox.Fault {
	all := map[string]sandbox.Fault{
		"latency":       {Latency: 5 * time.Millisecond},
		"wrong type":    {ContentType: "text/plain"},
		"a longer wait": {Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3600"}}},
		"other shapes":  {Body: []byte(`{"id":5,"data":{"a":[]},"total":"1"}`)},
	}
	for _, kind := range []sandbox.FaultKind{
		sandbox.FaultReset, sandbox.FaultResetBody, sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultDrip, sandbox.FaultTruncate,
		sandbox.FaultEmpty, sandbox.FaultHTML, sandbox.FaultBadJSON, sandbox.FaultHuge, sandbox.FaultGzipBomb, sandbox.FaultRedirect,
	} {
		fault := sandbox.Fault{Kind: kind, Location: "http://127.0.0.1:1/"}
		if kind == sandbox.FaultHuge || kind == sandbox.FaultGzipBomb {
			fault.Size = 512 << 10 // above the cap on bodies
		}
		all[string(kind)] = fault
	}
	for _, status := range []int{204, 304, 400, 401, 403, 404, 410, 422, 429, 500, 502, 503, 504, 599} {
		all[strconv.Itoa(status)] = sandbox.Fault{Status: status}
	}
	return all
}

// both is a gateway and the other one of its settings: with the fast path where it has none, or the other way round.
type both struct {
	*gateway
	other *gateway
	body  []byte // of a request for everything
}

func startBoth(t *testing.T, timeout time.Duration) both {
	t.Helper()
	config := func(o *options) {
		o.Upstream.Timeout, o.Upstream.MaxBody = timeout, 256<<10
		o.Upstream.Breaker.Percent = 0 // otherwise there would be no calls after the first faults
	}
	g := start(t, config)
	other := start(t, config, func(o *options) { o.Box, o.Pipeline.WithoutFastPath = g.Box, !*reference })
	ids := g.transactionIDs(3)
	notifications := g.notificationsOf(t, 2, 2)
	body, err := json.Marshal(map[string]any{"query": everything, "variables": variables{
		"t": ids[0], "ts": ids, "n": notifications[0], "ns": notifications, "w": g.Box.Ledger().Withdrawals()[0].ID,
	}})
	must(t, err)
	return both{g, other, body}
}

// compare holds the two to each other under a fault, which some do not notice.
func (b both) compare(t *testing.T, fault sandbox.Fault, harmless bool) {
	t.Helper()
	defer b.Box.Inject(fault)()
	ask := func(of *gateway) response {
		return of.Post(http.Header{"X-Request-Id": {"same"}}, b.body)
	}
	var one, two response
	var asking sync.WaitGroup
	asking.Go(func() { one = ask(b.gateway) })
	asking.Go(func() { two = ask(b.other) })
	asking.Wait()
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

// TestFastPathIsTheReferenceUnderFaults holds the two to each other for every fault of the sandbox on every route.
func TestFastPathIsTheReferenceUnderFaults(t *testing.T) {
	t.Parallel()
	shared := startBoth(t, gatewaytest.Timeout)
	for name, fault := range faults() {
		switch fault.Kind {
		case sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultDrip:
			t.Run(name, func(t *testing.T) { // on all routes at once: it takes the whole of the calls' time
				b := startBoth(t, shortTimeout)
				t.Parallel()
				b.compare(t, fault, false)
			})
			continue
		}
		for _, route := range []string{sandbox.RouteDeposit, sandbox.RouteWithdrawal, sandbox.RouteTransaction, sandbox.RouteNotification} {
			t.Run(name+" "+route, func(t *testing.T) {
				fault := fault
				fault.Route = route
				shared.compare(t, fault, name == "latency" || name == "wrong type")
			})
		}
	}
}
