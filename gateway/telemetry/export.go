package telemetry

import (
	"context"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The outcomes of spans.
const (
	spansSent    = "sent"
	spansLost    = "lost"    // the collector did not accept them
	spansDropped = "dropped" // too many were waiting
)

// export sends spans to the collector. It is the SDK's batch span processor with a bound on the waiting spans, and
// counts the outcome of each span. The processor has a bound too, but does not report what it drops. The bounds are
// equal, so the processor never drops a span.
type export struct {
	sdk.SpanProcessor
	metrics *Metrics
	limit   int64
	waiting atomic.Int64 // including spans that are being sent
}

// newExport sends spans to an exporter. The environment variables of OpenTelemetry set the sizes of queue and batches.
func newExport(exporter sdk.SpanExporter, m *Metrics) *export {
	e := &export{metrics: m}
	e.SpanProcessor = sdk.NewBatchSpanProcessor(counted{exporter, e}, func(o *sdk.BatchSpanProcessorOptions) {
		e.limit = int64(o.MaxQueueSize)
	})
	return e
}

// OnEnd implements sdk/trace.SpanProcessor.
func (e *export) OnEnd(span sdk.ReadOnlySpan) {
	if e.waiting.Add(1) > e.limit {
		e.waiting.Add(-1)
		e.metrics.spans.WithLabelValues(spansDropped).Inc()
		return
	}
	e.SpanProcessor.OnEnd(span)
}

// counted is an exporter that counts the outcomes of spans. It does not report errors to OpenTelemetry's global error
// handler, because their texts contain the collector's address.
type counted struct {
	sdk.SpanExporter
	export *export
}

// ExportSpans implements sdk/trace.SpanExporter.
func (c counted) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	outcome := spansSent
	if err := c.SpanExporter.ExportSpans(ctx, spans); err != nil {
		outcome = spansLost
	}
	c.export.metrics.spans.WithLabelValues(outcome).Add(float64(len(spans)))
	c.export.waiting.Add(-int64(len(spans)))
	return nil
}
