package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"pixgraph/internal/memnet"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// traced returns metrics with tracing, and a function that returns the spans that have ended.
func traced(t *testing.T) (*Metrics, *Tracing, func() tracetest.SpanStubs) {
	t.Helper()
	m, exporter := New(), tracetest.NewInMemoryExporter()
	tracing, err := NewTracing(t.Context(), exporter, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tracing.Close(context.Background()) })
	return m, tracing, func() tracetest.SpanStubs {
		t.Helper()
		if err := tracing.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
		return exporter.GetSpans()
	}
}

// TestSpanOfCall: the span of a call has the id that was sent to the API, and the times of the call. An operation that
// waits for the call of another one has a span for that, and no call is counted.
func TestSpanOfCall(t *testing.T) {
	for name, coalesced := range map[string]bool{"GET /deposit": false, "wait for GET /deposit": true} {
		synctest.Test(t, func(t *testing.T) { testSpanOfCall(t, name, coalesced) })
	}
}

func testSpanOfCall(t *testing.T, name string, coalesced bool) {
	m, tracing, spansOf := traced(t)
	ctx, span := tracing.tracer.Start(t.Context(), "operation")
	called, start, header := ctx, time.Now(), client.Header{}
	if !coalesced {
		called, header = m.Calls().Begin(ctx, header)
	}
	m.Calls().End(called, client.Exchange{
		Service: upstream.Core, Route: "/deposit", Status: 200, Attempt: 2,
		Coalesced: coalesced, Start: start, Duration: time.Second,
	})
	span.End()
	spans := spansOf()
	if len(spans) != 2 || spans[0].Name != name {
		t.Fatalf("spans: %v", spans)
	}
	call := spans[0]
	if !call.StartTime.Equal(start) || call.EndTime.Sub(call.StartTime) != time.Second ||
		call.Parent.SpanID() != span.SpanContext().SpanID() ||
		slices.Contains(call.Attributes, attribute.Bool("pixgraph.coalesced", true)) != coalesced {
		t.Errorf("span: %+v", call)
	}
	id := "00-" + call.SpanContext.TraceID().String() + "-" + call.SpanContext.SpanID().String() + "-01"
	counted := strings.Contains(scrape(m), "pixgraph_upstream_calls_total{")
	if (header.TraceParent == id) == coalesced || counted == coalesced {
		t.Errorf("%s: the API received %s, and the span is %s; the call is counted: %t", name, header.TraceParent, id, counted)
	}
}

// TestSpanOfLiveCall: the span of a call outside of an operation is the root of a trace, and has the ids that were sent
// to the API. The sampler decides.
func TestSpanOfLiveCall(t *testing.T) {
	for _, tt := range []struct {
		sampler, flags string
		spans          int
	}{{"always_on", "01", 2}, {"parentbased_always_off", "00", 0}} {
		t.Run(tt.sampler, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", tt.sampler)
			_, tracing, spansOf := traced(t)
			var sent []string
			for range 2 {
				ctx, header := tracing.beginCall(t.Context(), client.Header{})
				tracing.endCall(ctx, client.Exchange{Service: upstream.Core, Route: "/deposit", Start: time.Now()})
				if sent = append(sent, header.TraceParent); !strings.HasSuffix(header.TraceParent, "-"+tt.flags) {
					t.Errorf("the API received %s", header.TraceParent)
				}
			}
			spans := spansOf()
			if len(spans) != tt.spans {
				t.Fatalf("spans: %v", spans)
			}
			for i, span := range spans {
				header := "00-" + span.SpanContext.TraceID().String() + "-" + span.SpanContext.SpanID().String() + "-01"
				if span.Parent.IsValid() || header != sent[i] || !slices.Contains(span.Attributes, attribute.Bool("pixgraph.live", true)) {
					t.Errorf("%+v, and the API received %s", span, sent[i])
				}
			}
		})
	}
}

// TestHijacked: a stream has the status 200, and a WebSocket the status that is written to the connection.
func TestHijacked(t *testing.T) {
	for status, response := range map[int]string{
		200: "", 101: "HTTP/1.1 101 Switching Protocols\r\n\r\n", 426: "HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n",
	} {
		synctest.Test(t, func(t *testing.T) { testHijacked(t, status, response) })
	}
}

func testHijacked(t *testing.T, status int, response string) {
	m, _, spansOf := traced(t)
	var network memnet.Network
	url := network.Serve(t, m.Around(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if response == "" {
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"))
		}
		_, _ = buffered.WriteString(response)
		_ = buffered.Flush()
	})))
	resp, err := network.Client(t).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	synctest.Wait() // until the handler has returned
	if resp.StatusCode != status || !strings.Contains(scrape(m), fmt.Sprintf(`pixgraph_http_requests_total{path="/",status="%d"} 1`, status)) {
		t.Errorf("the client got %d, and the metrics are %s", resp.StatusCode, scrape(m))
	}
	if spans := spansOf(); len(spans) != 1 || spans[0].Status.Code != codes.Unset ||
		!slices.Contains(spans[0].Attributes, attribute.Int("http.response.status_code", status)) {
		t.Errorf("spans: %v", spans)
	}
}
