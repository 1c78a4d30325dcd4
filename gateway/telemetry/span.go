package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/upstream/client"
)

// beginCall starts the span of a call, and sends its ids to the API. A call outside of an operation is one of a stream,
// which may serve several requests: its span is the root of a trace.
func (t *Tracing) beginCall(ctx context.Context, header client.Header) (context.Context, client.Header) {
	live := !trace.SpanContextFromContext(ctx).IsValid()
	ctx, _ = t.tracer.Start(ctx, "GET", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.Bool("pixgraph.live", live)))
	carrier := propagation.MapCarrier{}
	t.context.Inject(ctx, carrier)
	header.TraceParent = carrier["traceparent"]
	return ctx, header
}

// endCall ends the span of a call, which is that of ctx.
func (t *Tracing) endCall(ctx context.Context, e client.Exchange) {
	span := trace.SpanFromContext(ctx)
	if e.Coalesced {
		if span.SpanContext().IsSampled() {
			t.coalesced(ctx, e)
		}
		return
	}
	outcome := outcomeOf(e.Err)
	span.SetName("GET " + e.Route)
	span.SetAttributes(
		attribute.String("pixgraph.service", string(e.Service)),
		attribute.String("url.template", e.Route), attribute.String("http.request.method", "GET"),
		attribute.Int("http.response.status_code", e.Status), attribute.Int("http.request.resend_count", e.Attempt-1),
		attribute.String("pixgraph.outcome", outcome), attribute.Int("http.response.body.size", e.EncodedBytes),
		attribute.Int64("pixgraph.waited_us", e.Waited.Microseconds()),
	)
	if e.Err != nil {
		span.SetStatus(codes.Error, outcome)
	}
	span.End(trace.WithTimestamp(e.Start.Add(e.Duration)))
}

// coalesced creates the span of the wait for a call of another operation. The call itself has its own span.
func (t *Tracing) coalesced(ctx context.Context, e client.Exchange) {
	outcome := outcomeOf(e.Err)
	_, span := t.tracer.Start(ctx, "wait for GET "+e.Route, trace.WithTimestamp(e.Start), trace.WithAttributes(
		attribute.String("pixgraph.service", string(e.Service)), attribute.String("url.template", e.Route),
		attribute.Bool("pixgraph.coalesced", true), attribute.String("pixgraph.outcome", outcome),
		attribute.Int64("pixgraph.waited_us", e.Waited.Microseconds()),
	))
	if e.Err != nil {
		span.SetStatus(codes.Error, outcome)
	}
	span.End(trace.WithTimestamp(e.Start.Add(e.Duration)))
}
