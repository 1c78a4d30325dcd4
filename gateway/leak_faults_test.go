package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"pixgraph/sandbox"
	"pixgraph/test/replica"
	"pixgraph/upstream/client"
)

// leakTooLarge is the size of a body that is too large for a gateway, but not much larger.
const leakTooLarge = client.DefaultMaxBody + 1<<20

// leakFaults are responses that a gateway cannot use. They contain real records where an error is expected, in bodies
// and headers.
func leakFaults(box *replica.Sandbox) map[string]sandbox.Fault {
	record := box.Ledger().Transactions()[0].JSON()
	replacing := func(pairs ...string) sandbox.Fault {
		return sandbox.Fault{Mutate: func(body []byte) []byte {
			for i := 0; i < len(pairs); i += 2 {
				body = bytes.ReplaceAll(body, []byte(pairs[i]), []byte(pairs[i+1]))
			}
			return body
		}}
	}
	faults := map[string]sandbox.Fault{
		"invalid members":            replacing(`"amount":`, `"amount":"12.5", "amount_":`, `"status":"`, `"status":"Raimundo `),
		"numbers instead of strings": replacing(`"name":"`, `"name":1,"name_":"`, `"id":"`, `"id":"x`),
		"objects instead of strings": replacing(`"createdAt":"`, `"createdAt":{},"x":"`),
		"invalid Unicode":            replacing(`"name":"`, `"name":"\ud800`, `"street":"`, "\"street\":\"\xff"),
		"another page":               replacing(`"currentPage":`, `"currentPage":7`, `"perPage":`, `"perPage":9`),
		"another record":             {Body: record},
		"a list instead of a record": {Body: append(append([]byte("["), record...), ']')},
		"a record as HTML":           {Body: record, ContentType: "text/html"},
		"a slow response":            {Latency: time.Millisecond, Status: http.StatusServiceUnavailable, Body: record, Times: 2},
		"a redirect":                 {Kind: sandbox.FaultRedirect, Location: "http://127.0.0.1:1/?owner=" + url.QueryEscape("Raimundo Carvalho")},
		"a huge body":                {Kind: sandbox.FaultHuge, Size: leakTooLarge},
		"a gzip bomb":                {Kind: sandbox.FaultGzipBomb, Size: leakTooLarge},
		"a slow body":                {Kind: sandbox.FaultDrip, Interval: 10 * time.Millisecond},
		"half a record":              {Kind: sandbox.FaultHangBody, Body: record},
		"half a record, once":        {Kind: sandbox.FaultResetBody, Body: record, Times: 1},
	}
	for _, kind := range []sandbox.FaultKind{
		sandbox.FaultReset, sandbox.FaultResetBody, sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultTruncate,
		sandbox.FaultEmpty, sandbox.FaultHTML, sandbox.FaultBadJSON,
	} {
		faults[string(kind)] = sandbox.Fault{Kind: kind}
	}
	for _, status := range []int{301, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 504} {
		faults[fmt.Sprint(status)] = sandbox.Fault{
			Status: status, Body: record,
			Header: http.Header{"X-Owner": {string(record[:200])}, "Retry-After": {"Raimundo Carvalho"}, "Www-Authenticate": {"Raimundo Carvalho"}},
		}
	}
	return faults
}
