package telemetry

import (
	"context"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The outcomes of spans.
const (
	spansSent    = "sent"
	spansLost    = "lost"    // the collector did not take them
	spansDropped = "dropped" // too many waited for it
)

// export is how spans get to the collector: SDK's processor of batches, with a bound on the spans that wait, which counts
// what becomes of each. The processor has a bound too, but tells nobody what it drops. It is the same number here, so the
// processor always has room.
type export struct {
	sdk.SpanProcessor
	metrics *Metrics
	most    int64
	waiting atomic.Int64 // those that are being sent are among them
}

// newExport sends spans to an exporter. The bounds of queue and batches follow the process's environment.
func newExport(exporter sdk.SpanExporter, m *Metrics) *export {
	e := &export{metrics: m}
	e.SpanProcessor = sdk.NewBatchSpanProcessor(counted{exporter, e}, func(o *sdk.BatchSpanProcessorOptions) {
		e.most = int64(o.MaxQueueSize)
	})
	return e
}

// OnEnd implements sdk/trace.SpanProcessor.
func (e *export) OnEnd(span sdk.ReadOnlySpan) {
	if e.waiting.Add(1) > e.most {
		e.waiting.Add(-1)
		e.metrics.spans.WithLabelValues(spansDropped).Inc()
		return
	}
	e.SpanProcessor.OnEnd(span)
}

// counted is an exporter that counts what becomes of spans, instead of telling OpenTelemetry's global handler of errors,
// whose texts have the collector's address.
type counted struct {
	sdk.SpanExporter
	export *export
}

// ExportSpans implements the interface.
func (c counted) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	outcome := spansSent
	if err := c.SpanExporter.ExportSpans(ctx, spans); err != nil {
		outcome = spansLost
	}
	c.export.metrics.spans.WithLabelValues(outcome).Add(float64(len(spans)))
	c.export.waiting.Add(-int64(len(spans)))
	return nil
}
