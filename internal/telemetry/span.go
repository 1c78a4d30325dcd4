package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/upstream/client"
)

// The span of a call is created when the call has ended, from the data of the call. Its id is chosen before the call,
// because the request carries it.

// Calls returns the observer that creates the spans of calls.
func (t *Tracing) Calls() client.Observer { return tracedCalls{t} }

// tracedCalls creates the spans of the calls of all operations.
type tracedCalls struct{ *Tracing }

// Begin implements client.Observer. It sets the trace context of the call's span, which is created later.
func (t tracedCalls) Begin(ctx context.Context, header client.Header) client.Header {
	header.TraceParent = traceParent(ctx)
	return header
}

// traceParent is the W3C trace context of a call that is about to be made in ctx, and "" if ctx has no trace.
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

// End implements client.Observer. It creates the span of the call.
func (t tracedCalls) End(ctx context.Context, e client.Exchange) {
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

// coalesced creates the span of the wait for a call of another operation. The call itself has its own span.
func (t tracedCalls) coalesced(ctx context.Context, e client.Exchange) {
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

// traceParentForm shows the parts of a traceparent: version, trace, span, flags.
const traceParentForm = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// chosenKey is the context key of a span id that is chosen before the span is created.
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
