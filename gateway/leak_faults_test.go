package gateway

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// leakFault is a response of an API that a gateway cannot use.
type leakFault struct{ sandbox.Fault }

// waits reports whether the response never ends.
func (f leakFault) waits() bool {
	return f.Kind == sandbox.FaultHang || f.Kind == sandbox.FaultHangBody || f.Kind == sandbox.FaultDrip
}

// leakTooLarge is the size of a body that is too large for a gateway, but not much larger.
const leakTooLarge = client.DefaultMaxBody + 1<<20

// leakFaults are responses that contain real records where an error is expected, in bodies and headers.
func leakFaults(box *sandbox.Sandbox) map[string]leakFault {
	record := box.Ledger().Transactions()[0].JSON()
	replacing := func(pairs ...string) leakFault {
		return leakFault{sandbox.Fault{Mutate: func(body []byte) []byte {
			for i := 0; i < len(pairs); i += 2 {
				body = bytes.ReplaceAll(body, []byte(pairs[i]), []byte(pairs[i+1]))
			}
			return body
		}}}
	}
	faults := map[string]leakFault{
		"invalid members":            replacing(`"amount":`, `"amount":"12.5", "amount_":`, `"status":"`, `"status":"Raimundo `),
		"numbers instead of strings": replacing(`"name":"`, `"name":1,"name_":"`, `"id":"`, `"id":"x`),
		"objects instead of strings": replacing(`"createdAt":"`, `"createdAt":{},"x":"`),
		"invalid Unicode":            replacing(`"name":"`, `"name":"\ud800`, `"street":"`, "\"street\":\"\xff"),
		"another page":               replacing(`"currentPage":`, `"currentPage":7`, `"perPage":`, `"perPage":9`),
		"another record":             {sandbox.Fault{Body: record}},
		"a list instead of a record": {sandbox.Fault{Body: append(append([]byte("["), record...), ']')}},
		"a record as HTML":           {sandbox.Fault{Body: record, ContentType: "text/html"}},
		"a slow response":            {sandbox.Fault{Latency: time.Millisecond, Status: http.StatusServiceUnavailable, Body: record, Times: 2}},
		"a redirect": {sandbox.Fault{
			Kind: sandbox.FaultRedirect, Location: "http://127.0.0.1:1/?owner=" + url.QueryEscape("Raimundo Carvalho"),
		}},
		"a huge body":         {sandbox.Fault{Kind: sandbox.FaultHuge, Size: leakTooLarge}},
		"a gzip bomb":         {sandbox.Fault{Kind: sandbox.FaultGzipBomb, Size: leakTooLarge}},
		"a slow body":         {sandbox.Fault{Kind: sandbox.FaultDrip, Interval: 10 * time.Millisecond}},
		"half a record":       {sandbox.Fault{Kind: sandbox.FaultHangBody, Body: record}},
		"half a record, once": {sandbox.Fault{Kind: sandbox.FaultResetBody, Body: record, Times: 1}},
	}
	for _, kind := range []sandbox.FaultKind{
		sandbox.FaultReset, sandbox.FaultResetBody, sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultTruncate,
		sandbox.FaultEmpty, sandbox.FaultHTML, sandbox.FaultBadJSON,
	} {
		faults[string(kind)] = leakFault{sandbox.Fault{Kind: kind}}
	}
	for _, status := range []int{301, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 504} {
		faults[fmt.Sprint(status)] = leakFault{sandbox.Fault{
			Status: status, Body: record,
			Header: http.Header{"X-Owner": {string(record[:200])}, "Retry-After": {"Raimundo Carvalho"}, "Www-Authenticate": {"Raimundo Carvalho"}},
		}}
	}
	return faults
}
