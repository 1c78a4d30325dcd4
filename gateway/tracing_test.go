package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/test/gatewaytest"
)

// keepingExporter is an exporter that keeps its spans after Shutdown.
type keepingExporter struct{ *tracetest.InMemoryExporter }

// Shutdown implements sdk/trace.SpanExporter. That of InMemoryExporter removes the spans.
func (keepingExporter) Shutdown(context.Context) error { return nil }

// stopped stops the gateway, which sends its last spans, and returns all spans.
func (k keepingExporter) stopped(r *running) tracetest.SpanStubs {
	r.T.Helper()
	r.end()
	return k.GetSpans()
}

// launchTraced starts a gateway with an in-memory span exporter.
func launchTraced(t *testing.T, flags ...string) (*running, keepingExporter) {
	t.Helper()
	exporter := keepingExporter{tracetest.NewInMemoryExporter()}
	return launchAs(t, Process{spans: exporter}, append(flags, "--shutdown-delay=0s")...), exporter
}

// The trace context of clients.
const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
)

// postTraced sends an operation with a client's trace context.
func (r *running) postTraced(token, document, flags string) {
	r.T.Helper()
	r.QueryWith(http.Header{
		"Authorization": {"Bearer " + token}, "Traceparent": {"00-" + clientTrace + "-" + clientSpan + "-" + flags},
	}, document)
}

// TestTraces: the client's trace continues through the request, the operation and each call, to the APIs.
func TestTraces(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	r, exporter := launchTraced(t, gatewaytest.Flags(box, "--log-one-in=1")...)
	r.postTraced(box.Token(), fmt.Sprintf("query Links { transaction(id: %q) { notifications { nodes { id } } } }", box.Samples().Transaction), "01")
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
	if log := r.stderr.String(); !strings.Contains(log, `"traceId":"`+clientTrace+`"`) {
		t.Errorf("the trace is not in the log: %s", log)
	}
}

// TestTracesUnsampled: a trace that the client does not sample is not recorded, and the APIs receive that flag. Without
// a collector there is no tracing, and the client's trace context is forwarded to the APIs unchanged.
func TestTracesUnsampled(t *testing.T) {
	for flags, sent := range map[string]string{"00": "^00-" + clientTrace + "-[0-9a-f]{16}-00$", "01": "^00-" + clientTrace + "-" + clientSpan + "-01$"} {
		box := gatewaytest.NewSandbox(t)
		exporter, p := keepingExporter{tracetest.NewInMemoryExporter()}, Process{}
		if flags == "00" {
			p.spans = exporter
		}
		r := launchAs(t, p, gatewaytest.Flags(box, "--shutdown-delay=0s")...)
		r.postTraced(box.Token(), "{ deposits { totalCount } }", flags)
		calls := box.Calls()
		if len(calls) != 1 || !regexp.MustCompile(sent).MatchString(calls[0].Header.Get("Traceparent")) {
			t.Errorf("calls %v, want one with %s", calls, sent)
		}
		if spans := exporter.stopped(r); len(spans) != 0 {
			t.Errorf("%d spans", len(spans))
		}
	}
}

// collector is a trace collector for OTLP over HTTP, which stores what it receives.
type collector struct {
	mu   sync.Mutex
	sent bytes.Buffer
	fail bool
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = c.sent.ReadFrom(r.Body)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// TestCollector: OpenTelemetry's standard variables are sufficient, and the remaining spans are sent at the
// end of the process.
func TestCollector(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string // in addition to the endpoint
		fail bool
		says []string // substrings of what the collector receives
	}{
		{"only the endpoint", nil, false, []string{"pixgraph", "query Page", "GET /deposit", "pixgraph.live"}},
		{"with a name", map[string]string{"OTEL_SERVICE_NAME": "gateway-of-the-test"}, false, []string{"gateway-of-the-test"}},
		{"turned off", map[string]string{"OTEL_SDK_DISABLED": "true"}, false, nil},
		{"another exporter", map[string]string{"OTEL_TRACES_EXPORTER": "none"}, false, nil},
		{"a collector that refuses", nil, true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			collects := &collector{fail: tt.fail}
			server := httptest.NewServer(collects)
			t.Cleanup(server.Close)
			p := Process{}
			set := func(key, value string) {
				t.Setenv(key, value) // the exporter reads the process's own environment
				p.environ = append(p.environ, key+"="+value)
			}
			set("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
			for key, value := range tt.env {
				set(key, value)
			}
			box := gatewaytest.NewSandbox(t)
			r := launchAs(t, p, gatewaytest.Flags(box, "--shutdown-delay=0s")...)
			r.postTraced(box.Token(), "query Page { deposits { totalCount } }", "01")
			r.FirstEventAs(box.Token(), "subscription { deposits { totalCount } }", nil)
			r.end()
			collects.mu.Lock()
			defer collects.mu.Unlock()
			if tt.says == nil && collects.sent.Len() > 0 {
				t.Errorf("%d bytes were sent", collects.sent.Len())
			}
			for _, text := range tt.says {
				if !strings.Contains(collects.sent.String(), text) {
					t.Errorf("%q was not sent", text)
				}
			}
		})
	}
}
