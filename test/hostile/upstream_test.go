package hostile

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
)

// planted are the headers of failing APIs: no response may repeat them.
func planted() http.Header {
	return http.Header{
		"X-Canary": {canary}, "Set-Cookie": {"session=" + canary}, "Location": {"http://127.0.0.1:1/" + canary}, "Retry-After": {"3600"}, "Server": {canary},
		"Www-Authenticate": {`Bearer realm="` + canary + `"`}, "Access-Control-Allow-Origin": {"*"}, "Content-Security-Policy": {canary},
	}
}

// hostileAPIs is a gateway with APIs that fail in every way. Its errors say which API failed and how, and contain
// nothing that the API sent.
func hostileAPIs(t *testing.T, shared *gateway) {
	// Half of the calls here fail, so the circuit breaker is off. Only the cases of timeouts wait for one; each has its
	// own gateway, so that they wait in parallel.
	start := func(t *testing.T, timeout string) *gateway {
		return newGateway(t, shared.binary, "--upstream-timeout="+timeout, "--upstream-breaker-percent=0")
	}
	g := start(t, "50s")
	failing := func(status int) sandbox.Fault {
		return sandbox.Fault{Status: status, Body: []byte(`{"message":"` + canary + `"}`)}
	}
	saying := func(body string) sandbox.Fault { return sandbox.Fault{Body: []byte(body)} }
	const failed, unavailable, late, wrong = "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT", "UPSTREAM_INVALID_RESPONSE"
	for _, tt := range []struct {
		name  string
		fault sandbox.Fault
		code  string
	}{
		{"400", failing(400), wrong}, {"401", failing(401), refused}, {"403", failing(403), forbidden},
		{"418", failing(418), wrong}, {"421", failing(421), unavailable},
		{"422", failing(422), input}, {"429", failing(429), "RATE_LIMITED"},
		{"500", failing(500), failed}, {"503", failing(503), failed}, {"599", failing(599), failed}, {"204", failing(204), wrong}, {"206", failing(206), wrong},
		{"a redirect to another host", sandbox.Fault{Kind: sandbox.FaultRedirect, Location: "http://127.0.0.1:1/" + canary}, wrong},
		{"a redirect to itself", sandbox.Fault{Kind: sandbox.FaultRedirect, Location: "/core/v1/deposit?" + canary}, wrong},
		{"a reset", sandbox.Fault{Kind: sandbox.FaultReset}, unavailable}, {"a reset in the body", sandbox.Fault{Kind: sandbox.FaultResetBody}, unavailable},
		{"a truncated body", sandbox.Fault{Kind: sandbox.FaultTruncate}, unavailable},
		{"no response", sandbox.Fault{Kind: sandbox.FaultHang}, late}, {"half a response", sandbox.Fault{Kind: sandbox.FaultHangBody}, late},
		{"a slow body", sandbox.Fault{Kind: sandbox.FaultDrip, Interval: 100 * time.Millisecond}, late},
		{"an empty body", sandbox.Fault{Kind: sandbox.FaultEmpty}, wrong}, {"HTML", saying("<html>" + canary), wrong},
		{"half of JSON", saying(`{"total":1,"data":["` + canary), wrong}, {"another JSON value", saying(`["` + canary + `"]`), wrong},
		{"null", saying(`null`), wrong}, {"two values", saying(`{}{"x":"` + canary + `"}`), wrong}, {"unknown members", saying(`{"` + canary + `":1}`), wrong},
		{"members of other types", saying(`{"total":"` + canary + `","totalPages":{},"currentPage":[],"perPage":null,"data":"` + canary + `"}`), wrong},
		{"a total out of range", saying(`{"total":1E400,"totalPages":1,"currentPage":1,"perPage":1,"data":[]}`), wrong},
		{"not UTF-8", saying("{\"total\":1,\"data\":[\"\xff" + canary + "\"]}"), wrong}, {"deep JSON", saying(strings.Repeat("[", 100_000)), wrong},
		{"deep records", saying(`{"total":1,"totalPages":1,"currentPage":1,"perPage":20,"data":[{"id":` + strings.Repeat("[", 100_000) + `}]}`), wrong},
		{"a huge body", sandbox.Fault{Kind: sandbox.FaultHuge, Size: 64 << 20}, wrong},
		{"a gzip bomb", sandbox.Fault{Kind: sandbox.FaultGzipBomb, Size: 64 << 20}, wrong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, fault := g, tt.fault
			if tt.code == late {
				t.Parallel()
				g = start(t, "5s")
				defer g.wantCleanEnd(t)
			}
			fault.Header = planted()
			fault.Route = sandbox.RouteDeposit
			defer g.box.Inject(fault)()
			g.wantRow(t, row{
				send: query(`{ deposits { totalCount nodes { id } } good: withdrawals { totalCount } }`), status: 200, code: tt.code, partial: true, calls: true,
				has: []string{`"good":{"totalCount":50}`}, lacks: []string{"Access-Control", "/core/v1"},
			})
		})
	}
	t.Run("a record with invalid values", func(t *testing.T) {
		body := `{"total":1,"totalPages":1,"currentPage":1,"perPage":20,"data":[{"id":"` + canary + `","amount":"` + canary +
			`","status":{"` + canary + `":1},"createdAt":7},"` + canary + `",null,{}]}`
		defer g.box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Header: planted(), Body: []byte(body)})()
		g.wantRow(t, row{
			send: query(`{ deposits { nodes { amount status createdAt } } }`), status: 200, code: wrong,
			partial: true, calls: true, has: []string{`"nodes":[null,null,null,null]`},
		})
	})
	g.wantResponse(t)
	if err := g.box.Close(); err != nil {
		t.Error(err)
	}
	g.wantRow(t, row{
		send: query(`{ deposits { totalCount } transaction(id: "<transaction>") { id } }`), status: 200, code: unavailable, partial: true, calls: true,
	})
	g.wantCleanEnd(t)
}
