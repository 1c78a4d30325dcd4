package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/upstream"
)

// The span of a call is made when the call has ended, of what there is to tell of it then. Its id was chosen before, since
// the call itself carries it on.

// Calls returns what makes the spans of calls.
func (t *Tracing) Calls() upstream.Observer { return tracedCalls{t} }

// tracedCalls makes the spans of the calls of all operations.
type tracedCalls struct{ *Tracing }

// Begin implements upstream.Observer: it gives a call the trace context of its span, which does not exist yet.
func (t tracedCalls) Begin(ctx context.Context, header upstream.Header) upstream.Header {
	header.TraceParent = traceParent(ctx)
	return header
}

// traceParent is the W3C trace context for a call that is about to be made in ctx; "" where nothing is traced.
func traceParent(ctx context.Context) string {
	parent := trace.SpanContextFromContext(ctx)
	if !parent.IsValid() {
		return ""
	}
	flags := "00"
	if parent.IsSampled() {
		flags = "01"
	}
	return "00-" + parent.TraceID().String() + "-" + newSpanID().String() + "-" + flags
}

// End implements upstream.Observer: it makes the span of a call that ended.
func (t tracedCalls) End(ctx context.Context, e upstream.Exchange) {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return
	}
	if e.Coalesced {
		t.coalesced(ctx, e)
		return
	}
	if len(e.TraceParent) != len(traceParentForm) {
		return
	}
	id, err := trace.SpanIDFromHex(e.TraceParent[36:52])
	if err != nil {
		return
	}
	outcome := outcomeOf(e.Err)
	_, span := t.tracer.Start(context.WithValue(ctx, chosenKey{}, id), "GET "+e.Route,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(e.Start),
		trace.WithAttributes(
			attribute.String("pixgraph.service", string(e.Service)),
			attribute.String("url.template", e.Route), attribute.String("http.request.method", "GET"),
			attribute.Int("http.response.status_code", e.Status), attribute.Int("http.request.resend_count", e.Attempt-1),
			attribute.String("pixgraph.outcome", outcome), attribute.Int("http.response.body.size", e.EncodedBytes),
			attribute.Int64("pixgraph.waited_us", e.Waited.Microseconds()),
		))
	if e.Err != nil {
		span.SetStatus(codes.Error, outcome)
	}
	span.End(trace.WithTimestamp(e.Start.Add(e.Duration)))
}

// coalesced makes the span of a wait for a call that another operation makes. It is not the call, whose span is the other's.
func (t tracedCalls) coalesced(ctx context.Context, e upstream.Exchange) {
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

// traceParentForm shows where the parts of a traceparent are: version, trace, span, flags.
const traceParentForm = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// chosenKey is the context key of a span id that was chosen before its span is made.
type chosenKey struct{}

// ids generates the ids of traces and spans. They need not be secret.
type ids struct{}

// NewIDs implements sdk/trace.IDGenerator.
func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	var id trace.TraceID
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdk/trace.IDGenerator.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if id, ok := ctx.Value(chosenKey{}).(trace.SpanID); ok {
		return id
	}
	return newSpanID()
}

func newSpanID() (id trace.SpanID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}
