package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/gateway"
	"pixgraph/test/replica"
)

// keepingExporter is an exporter that keeps its spans after Shutdown.
type keepingExporter struct{ *tracetest.InMemoryExporter }

// Shutdown implements sdk/trace.SpanExporter. That of InMemoryExporter removes the spans.
func (keepingExporter) Shutdown(context.Context) error { return nil }

// stopped stops the gateway, which sends its last spans, and returns all spans.
func (k keepingExporter) stopped(r *replica.Replica) tracetest.SpanStubs {
	r.T.Helper()
	r.Stop()
	if code := r.Wait(); code != 0 {
		r.T.Fatalf("exit code %d: %s", code, r.Stderr)
	}
	return k.GetSpans()
}

// startTraced starts a gateway with an in-memory span exporter.
func startTraced(t *testing.T, box *replica.Sandbox, flags ...string) (*replica.Replica, keepingExporter) {
	t.Helper()
	exporter := keepingExporter{tracetest.NewInMemoryExporter()}
	return box.StartAs(t, gateway.Process{Spans: exporter}, flags...), exporter
}

// The trace context of clients.
const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
)

// postTraced sends an operation with a client's trace context.
func postTraced(r *replica.Replica, token, document, flags string) {
	r.T.Helper()
	r.QueryWith(http.Header{
		"Authorization": {"Bearer " + token}, "Traceparent": {"00-" + clientTrace + "-" + clientSpan + "-" + flags},
	}, document)
}

// TestTraces: the client's trace continues through the request, the operation and each call, to the APIs.
func TestTraces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r, exporter := startTraced(t, box, "--log-level=debug")
		postTraced(r, box.Token(), fmt.Sprintf("query Links { transaction(id: %q) { notifications { nodes { id } } } }", box.Samples().Transaction), "01")
		var sent []string // the trace contexts that the APIs received
		for _, call := range box.Calls() {
			sent = append(sent, call.Header.Get("Traceparent"))
		}
		spans := exporter.stopped(r)

		byName := map[string][]tracetest.SpanStub{}
		for _, span := range spans {
			byName[span.Name] = append(byName[span.Name], span)
			if span.SpanContext.TraceID().String() != clientTrace {
				t.Errorf("%s has the trace %s", span.Name, span.SpanContext.TraceID())
			}
		}
		server, operation := byName["POST /graphql"], byName["query Links"]
		if len(server) != 1 || len(operation) != 1 {
			t.Fatalf("spans: %v", byName)
		}
		if got := server[0].Parent.SpanID().String(); got != clientSpan || server[0].SpanKind != trace.SpanKindServer {
			t.Errorf("the request's span is a %v, the child of %s", server[0].SpanKind, got)
		}
		if operation[0].Parent.SpanID() != server[0].SpanContext.SpanID() {
			t.Error("the operation's span is not the child of the request's")
		}
		calls := slices.Concat(byName["GET /transaction/{id}"], byName["GET /request/{id}"])
		if len(calls) != len(sent) || len(sent) < 2 {
			t.Fatalf("%d spans of %d calls", len(calls), len(sent))
		}
		for _, call := range calls {
			if call.Parent.SpanID() != operation[0].SpanContext.SpanID() || call.SpanKind != trace.SpanKindClient || call.EndTime.Before(call.StartTime) {
				t.Errorf("%s: %+v", call.Name, call)
			}
			if header := "00-" + clientTrace + "-" + call.SpanContext.SpanID().String() + "-01"; !slices.Contains(sent, header) {
				t.Errorf("no API received %s, but %v", header, sent)
			}
		}
		if log := r.Stderr.String(); !strings.Contains(log, `"traceId":"`+clientTrace+`"`) {
			t.Errorf("the trace is not in the log: %s", log)
		}
	})
}

// TestTracesUnsampled: a trace that the client does not sample is not recorded, and the APIs receive that flag. Without
// a collector there is no tracing, and the client's trace context is forwarded to the APIs unchanged.
func TestTracesUnsampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for flags, sent := range map[string]string{"00": "^00-" + clientTrace + "-[0-9a-f]{16}-00$", "01": "^00-" + clientTrace + "-" + clientSpan + "-01$"} {
			box := replica.NewSandbox(t)
			exporter, p := keepingExporter{tracetest.NewInMemoryExporter()}, gateway.Process{}
			if flags == "00" {
				p.Spans = exporter
			}
			r := box.StartAs(t, p)
			postTraced(r, box.Token(), "{ deposits { totalCount } }", flags)
			calls := box.Calls()
			if len(calls) != 1 || !regexp.MustCompile(sent).MatchString(calls[0].Header.Get("Traceparent")) {
				t.Errorf("calls %v, want one with %s", calls, sent)
			}
			if spans := exporter.stopped(r); len(spans) != 0 {
				t.Errorf("%d spans", len(spans))
			}
		}
	})
}
