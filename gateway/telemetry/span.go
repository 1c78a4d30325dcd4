package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/upstream/client"
)

// The span of a call is created when the call has ended, from the data of the call. Its id is chosen before the call,
// because the request carries it.

// beginCall sets the trace context of the call's span, which is created later. A call outside of an
// operation is one of a stream, which may serve several requests: its span is the root of a trace.
func (t *Tracing) beginCall(ctx context.Context, header client.Header) client.Header {
	span := trace.SpanContextFromContext(ctx)
	if span.IsValid() {
		span = span.WithSpanID(newSpanID())
	} else {
		_, root := t.tracer.Start(ctx, liveCall) // only for its ids and the decision of the sampler
		span = root.SpanContext()
	}
	carrier := propagation.MapCarrier{}
	t.context.Inject(trace.ContextWithSpanContext(ctx, span), carrier)
	header.TraceParent = carrier["traceparent"]
	return header
}

// liveCall is the name that samplers get for a call of a stream.
const liveCall = "live call"

// endCall creates the span of a call.
func (t *Tracing) endCall(ctx context.Context, e client.Exchange) {
	parent := trace.SpanContextFromContext(ctx)
	if e.Coalesced {
		if parent.IsSampled() {
			t.coalesced(ctx, e)
		}
		return
	}
	sent := trace.SpanContextFromContext(t.context.Extract(context.Background(), propagation.MapCarrier{"traceparent": e.TraceParent}))
	if !sent.IsSampled() {
		return
	}
	outcome := outcomeOf(e.Err)
	_, span := t.tracer.Start(context.WithValue(ctx, chosenKey{}, sent), "GET "+e.Route,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(e.Start),
		trace.WithAttributes(
			attribute.String("pixgraph.service", string(e.Service)),
			attribute.String("url.template", e.Route), attribute.String("http.request.method", "GET"),
			attribute.Int("http.response.status_code", e.Status), attribute.Int("http.request.resend_count", e.Attempt-1),
			attribute.String("pixgraph.outcome", outcome), attribute.Int("http.response.body.size", e.EncodedBytes),
			attribute.Int64("pixgraph.waited_us", e.Waited.Microseconds()), attribute.Bool("pixgraph.live", !parent.IsValid()),
		))
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

// chosenKey is the context key of the trace.SpanContext that a span is to have, because it was chosen before the span
// is created.
type chosenKey struct{}

// ids generates the ids of traces and spans. They need not be secret.
type ids struct{}

// NewIDs implements sdk/trace.IDGenerator.
func (ids) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	if chosen, ok := ctx.Value(chosenKey{}).(trace.SpanContext); ok {
		return chosen.TraceID(), chosen.SpanID()
	}
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id, newSpanID()
}

// NewSpanID implements sdk/trace.IDGenerator.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if chosen, ok := ctx.Value(chosenKey{}).(trace.SpanContext); ok {
		return chosen.SpanID()
	}
	return newSpanID()
}

func newSpanID() (id trace.SpanID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}
