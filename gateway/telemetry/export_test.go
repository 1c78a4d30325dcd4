package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// gated is an exporter that waits for a value from gate before it takes spans, and returns that value.
type gated struct {
	*tracetest.InMemoryExporter
	gate chan error
}

func (g gated) ExportSpans(context.Context, []sdk.ReadOnlySpan) error { return <-g.gate }

// wantSpans checks the counts of spans.
func wantSpans(t *testing.T, m *Metrics, sent, lost, dropped int) {
	t.Helper()
	text := scrape(m)
	for outcome, n := range map[string]int{spansSent: sent, spansLost: lost, spansDropped: dropped} {
		if line := fmt.Sprintf("pixgraph_trace_spans_total{outcome=%q} %d\n", outcome, n); !strings.Contains(text, line) {
			t.Errorf("no %s in %s", line, text)
		}
	}
}

// TestSpansAreCounted: spans beyond the queue that end while the collector is blocked are counted as dropped. Spans
// that the collector refuses are counted as lost. Afterwards the queue has room again.
func TestSpansAreCounted(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4") // also the size of a batch
	m, gate := New(), make(chan error, 10)
	tracing, err := NewTracing(t.Context(), gated{tracetest.NewInMemoryExporter(), gate}, m)
	if err != nil {
		t.Fatal(err)
	}
	spans := func(n int) {
		for range n {
			_, span := tracing.tracer.Start(t.Context(), "span")
			span.End()
		}
	}
	flush := func(outcome error) {
		t.Helper()
		gate <- outcome
		if err := tracing.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	spans(7)
	wantSpans(t, m, 0, 0, 3)
	flush(nil)
	wantSpans(t, m, 4, 0, 3)
	spans(3)
	flush(errors.New("refused"))
	wantSpans(t, m, 4, 3, 3)
	spans(5)
	wantSpans(t, m, 4, 3, 4)
	gate <- nil
	if err := tracing.Close(t.Context()); err != nil {
		t.Error(err)
	}
	wantSpans(t, m, 8, 3, 4)
}
