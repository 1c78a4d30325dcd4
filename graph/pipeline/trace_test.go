package pipeline_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/graph/pipeline"
	"pixgraph/graph/trace"
	"pixgraph/upstream/sandbox"
)

// traced asks a query of a gateway that traces, and returns what was traced.
func (g *gateway) traced(query string, v variables) trace.Trace {
	g.T.Helper()
	a := g.asking("1", query, v)
	var answer struct {
		Extensions struct{ Trace *trace.Trace }
	}
	must(g.T, json.Unmarshal(a.Body, &answer))
	if answer.Extensions.Trace == nil {
		g.T.Fatalf("no trace: %s", a.Body)
	}
	return *answer.Extensions.Trace
}

// asking is query with the header that asks for a trace.
func (g *gateway) asking(header, query string, v variables) response {
	g.T.Helper()
	return g.QueryWith(http.Header{pipeline.HeaderTrace: {header}}, query, v)
}

func withTrace(o *options) { o.Pipeline.Trace = true }

// TestTrace: every call of the sandbox's count is there, with the fields that asked for it.
func TestTrace(t *testing.T) {
	g := start(t, withTrace)
	n := g.notificationsOf(t, 2, 1)
	trace := g.traced(`query($a: ID!, $ids: [ID!]!) {
		deposits { totalCount }
		one: notification(id: $a) { transaction { id } }
		two: notification(id: $a) { id }
		notifications(ids: $ids) { t: transaction { id } }
	}`, variables{"a": n[0], "ids": []string{n[0], n[1]}})

	asked := map[string][]string{}
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
		asked[call.Route] = append(asked[call.Route], fmt.Sprint(call.Service, fields))
	}
	for route := range asked {
		slices.Sort(asked[route])
	}
	want := map[string][]string{
		"/deposit":          {"core[deposits]"},
		"/request/{id}":     {"dispatcher[notifications[0] one two]", "dispatcher[notifications[1]]"},
		"/transaction/{id}": {"core[notifications[0].t one.transaction]", "core[notifications[1].t]"},
	}
	if fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", asked, want)
	}
	if trace.GatewayMicros < 0 || trace.GatewayMicros > trace.DurationMicros {
		t.Errorf("the gateway took %d of %d us", trace.GatewayMicros, trace.DurationMicros)
	}
}

// TestTraceOfFailures: a call that gave nothing is there too, by its code, and nothing that identifies a record is.
func TestTraceOfFailures(t *testing.T) {
	g := start(t, withTrace)
	ids := g.transactionIDs(2)
	g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Status: 503})
	trace := g.traced("query($id: ID!) { transaction(id: $id) { id } }", variables{"id": ids[0]})
	if len(trace.Calls) != 2 {
		t.Fatalf("%+v, want an attempt and another one", trace.Calls)
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
}

// TestTraceOfLatency: the time of the calls is theirs, and what is left is the gateway's.
func TestTraceOfLatency(t *testing.T) {
	g := start(t, withTrace)
	const latency = 80 * time.Millisecond
	g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Latency: latency})
	trace := g.traced("{ deposits { totalCount } }", nil)
	if call := trace.Calls[0]; call.DurationMicros < latency.Microseconds() || trace.GatewayMicros > trace.DurationMicros-latency.Microseconds() {
		t.Errorf("%+v", trace)
	}
}

func TestNoTraceUnlessAskedFor(t *testing.T) {
	for name, header := range map[string]string{"not allowed": "1", "not asked for": "0"} {
		t.Run(name, func(t *testing.T) {
			g := start(t, func(o *options) { o.Pipeline.Trace = header != "1" })
			if a := g.asking(header, "{ deposits { totalCount } }", nil); strings.Contains(string(a.Body), "extensions") {
				t.Errorf("%s", a.Body)
			}
		})
	}
}
