package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/graph/guard/limits"
	"pixgraph/graph/trace"
	"pixgraph/sandbox"
	"pixgraph/serve"
)

// traced runs a query and returns its trace.
func (g *gateway) traced(query string, v variables) trace.Trace {
	g.T.Helper()
	a := g.queryTraced("1", query, v)
	var envelope struct {
		Extensions struct{ Trace *trace.Trace }
	}
	must(g.T, json.Unmarshal(a.Body, &envelope))
	if envelope.Extensions.Trace == nil {
		g.T.Fatalf("no trace: %s", a.Body)
	}
	return *envelope.Extensions.Trace
}

// queryTraced runs a query with the header that requests a trace.
func (g *gateway) queryTraced(header, query string, v variables) response {
	g.T.Helper()
	return g.QueryWith(http.Header{serve.HeaderTrace: {header}}, query, v)
}

func withTrace(o *options) { o.Serve.Trace = true }

// TestExtensionsOfRejections: a rejected operation has the extensions that its client requests and that are known of
// it: a cost after it was computed, and a trace without calls after its document was accepted.
func TestExtensionsOfRejections(t *testing.T) {
	run(t, func(t *testing.T, _ *gateway) {
		g := start(t, withTrace, func(o *options) { o.Serve.Limits.MaxCost = 10 })
		for _, tt := range []struct{ name, header, document, extensions string }{
			{"too expensive", "1", `{ transactions(ids: [1 2 3 4 5 6 7 8 9 10 11]) { id } }`, `{"cost":{"upstreamCalls":11,"max":10},"trace":`},
			{"a variable", "1", `query($id: ID!) { transaction(id: $id) { id } }`, `{"trace":`},
			{"invalid", "1", `{ nothing }`, ""},
			{"not requested", "yes", `{ transactions(ids: [1 2 3 4 5 6 7 8 9 10 11]) { id } }`, ""},
		} {
			r := g.QueryWith(http.Header{limits.HeaderCost: {tt.header}, serve.HeaderTrace: {tt.header}}, tt.document)
			var envelope struct{ Extensions json.RawMessage }
			must(t, json.Unmarshal(r.Body, &envelope))
			if r.Data != nil || len(r.Errors) != 1 || !strings.HasPrefix(string(envelope.Extensions), tt.extensions) ||
				(envelope.Extensions == nil) != (tt.extensions == "") {
				t.Errorf("%s: %s", tt.name, r.Body)
			}
		}
		g.WantNoCalls()
	})
}

// TestTrace: a trace has every call to the sandbox, with the fields that need it.
func TestTrace(t *testing.T) {
	runWith(t, withTrace, func(t *testing.T, g *gateway) {
		n := g.notificationsOf(t, 2, 1)
		trace := g.traced(`query($a: ID!, $ids: [ID!]!) {
			deposits { totalCount }
			one: notification(id: $a) { transaction { id } }
			two: notification(id: $a) { id }
			notifications(ids: $ids) { t: transaction { id } }
		}`, variables{"a": n[0], "ids": []string{n[0], n[1]}})

		fieldsOf := map[string][]string{}
		for _, call := range trace.Calls {
			if call.Outcome != "ok" || call.Status != 200 || call.Bytes == 0 || call.Attempt != 1 || call.Joined != len(call.Fields)-1 {
				t.Errorf("%+v", call)
			}
			if call.StartMicros < 0 || call.StartMicros+call.DurationMicros > trace.DurationMicros+1 {
				t.Errorf("%+v is not within %d us", call, trace.DurationMicros)
			}
			var fields []string
			for _, field := range call.Fields {
				fields = append(fields, field.String())
			}
			slices.Sort(fields)
			fieldsOf[call.Route] = append(fieldsOf[call.Route], fmt.Sprint(call.Service, fields))
		}
		for route := range fieldsOf {
			slices.Sort(fieldsOf[route])
		}
		want := map[string][]string{
			"/deposit":          {"core[deposits]"},
			"/request/{id}":     {"dispatcher[notifications[0] one two]", "dispatcher[notifications[1]]"},
			"/transaction/{id}": {"core[notifications[0].t one.transaction]", "core[notifications[1].t]"},
		}
		if fmt.Sprint(fieldsOf) != fmt.Sprint(want) {
			t.Errorf("%v\nwant %v", fieldsOf, want)
		}
		if trace.GatewayMicros < 0 || trace.GatewayMicros > trace.DurationMicros {
			t.Errorf("the gateway took %d of %d us", trace.GatewayMicros, trace.DurationMicros)
		}
	})
}

// TestTraceOfFailures: a trace has failed calls with their codes, and nothing that identifies a record.
func TestTraceOfFailures(t *testing.T) {
	runWith(t, withTrace, func(t *testing.T, g *gateway) {
		ids := g.transactionIDs(2)
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Status: 503})
		trace := g.traced("query($id: ID!) { transaction(id: $id) { id } }", variables{"id": ids[0]})
		if len(trace.Calls) != 2 {
			t.Fatalf("%+v, want two attempts", trace.Calls)
		}
		for i, call := range trace.Calls {
			if call.Outcome != "UPSTREAM_ERROR" || call.Status != 503 || call.Attempt != i+1 {
				t.Errorf("%+v", call)
			}
		}
		text, err := json.Marshal(trace)
		must(t, err)
		if strings.Contains(string(text), ids[0]) || strings.Contains(string(text), "127.0.0.1") {
			t.Errorf("%s", text)
		}
	})
}

// TestTraceOfLatency: the time of the gateway does not include the time of calls.
func TestTraceOfLatency(t *testing.T) {
	runWith(t, withTrace, func(t *testing.T, g *gateway) {
		const latency = 80 * time.Millisecond
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Latency: latency})
		trace := g.traced("{ deposits { totalCount } }", nil)
		if call := trace.Calls[0]; call.DurationMicros < latency.Microseconds() || trace.GatewayMicros > trace.DurationMicros-latency.Microseconds() {
			t.Errorf("%+v", trace)
		}
	})
}

// TestNoTrace: there is no trace unless the setting allows it and the client requests it.
func TestNoTrace(t *testing.T) {
	for name, header := range map[string]string{"not allowed": "1", "not requested": "0"} {
		bubble(t, name, func(t *testing.T) {
			g := start(t, func(o *options) { o.Serve.Trace = header != "1" })
			if a := g.queryTraced(header, "{ deposits { totalCount } }", nil); strings.Contains(string(a.Body), "extensions") {
				t.Errorf("%s", a.Body)
			}
		})
	}
}
