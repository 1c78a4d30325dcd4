package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"pixgraph/request"
	"pixgraph/serve"
)

// Tracing creates a span for each request, each operation and each call to an API that a Metrics observes. It is safe
// for concurrent use, and must be closed.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
}

// OpenTracing starts tracing, as NewTracing does, if the environment, a list of KEY=value, has a collector in
// OpenTelemetry's variables. Otherwise it returns nil. Its error names the invalid variable.
func OpenTracing(ctx context.Context, environ []string, m *Metrics) (*Tracing, error) {
	env := map[string]string{}
	for _, line := range environ {
		if key, value, ok := strings.Cut(line, "="); ok && strings.HasPrefix(key, "OTEL_") {
			env[key] = value
		}
	}
	switch {
	case env["OTEL_EXPORTER_OTLP_ENDPOINT"] == "" && env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] == "",
		strings.EqualFold(env["OTEL_SDK_DISABLED"], "true"), env["OTEL_TRACES_EXPORTER"] == "none":
		return nil, nil //nolint:nilnil // no tracing is not an error
	}
	for _, key := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := env[key]; protocol != "" && protocol != "http/protobuf" {
			return nil, fmt.Errorf("%s: must be http/protobuf; no other protocol is supported", key)
		}
	}
	// It reads its variables itself, and would read those of proxies too.
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithProxy(http.ProxyURL(nil)))
	if err != nil {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: the exporter cannot be created") // the cause may contain a password
	}
	return NewTracing(ctx, exporter, m)
}

// NewTracing starts tracing what the metrics observe from now on to an exporter, which Close also closes. The process's
// environment sets the sampling and the name of the service.
func NewTracing(ctx context.Context, exporter sdk.SpanExporter, m *Metrics) (*Tracing, error) {
	described, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "pixgraph")),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, errors.New("OTEL_RESOURCE_ATTRIBUTES: must be key=value pairs, separated by commas") // the cause repeats the value
	}
	provider := sdk.NewTracerProvider(
		sdk.WithSpanProcessor(newExport(exporter, m)), sdk.WithResource(described),
	)
	m.tracing = &Tracing{provider: provider, tracer: provider.Tracer("pixgraph")}
	return m.tracing, nil
}

// Close sends the remaining spans until ctx ends, and stops tracing.
func (t *Tracing) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// around creates the span of a request, as the child of the client's span if the request has one. It replaces the trace
// context in the headers. The client's tracestate and baggage are dropped, because they may contain anything. The span
// of a request that begins a stream, or opens a WebSocket, ends when the handler has written the header of the
// response.
func (t *Tracing) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := propagation.HeaderCarrier(r.Header)
		path := pathOf(r.URL.Path)
		ctx, span := t.tracer.Start(t.context.Extract(r.Context(), parentOnly{header}), methodOf(r.Method)+" "+path,
			trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", methodOf(r.Method)), attribute.String("http.route", path)))
		t.context.Inject(ctx, header)
		recorder := w.(*statusRecorder) // of Metrics.Around
		defer func() {
			span.SetAttributes(attribute.Int("http.response.status_code", recorder.status))
			if recorder.status == 0 || recorder.status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// parentOnly is the headers of a request without tracestate.
type parentOnly struct{ propagation.HeaderCarrier }

// Get implements propagation.TextMapCarrier.
func (h parentOnly) Get(key string) string {
	if key == "tracestate" {
		return ""
	}
	return h.HeaderCarrier.Get(key)
}

// methodOf is the method if it is served, otherwise a placeholder.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodOptions:
		return method
	default:
		return "HTTP" // the value of OpenTelemetry's conventions for all others
	}
}

// begin creates the operation's span. Operations over a WebSocket have no span of a request, so
// each of their spans is the root of a trace, with a link to the request that opened the connection.
func (t *Tracing) begin(ctx context.Context, o serve.Operation) context.Context {
	parent := trace.SpanContextFromContext(ctx)
	if parent.IsValid() && !parent.IsSampled() {
		return ctx // the span would be discarded, and calls can be children of the request
	}
	var links []trace.Link
	if opened := request.CallOf(ctx).TraceParent; !parent.IsValid() && opened != "" {
		links = []trace.Link{trace.LinkFromContext(t.context.Extract(context.Background(), propagation.MapCarrier{"traceparent": opened}))}
	}
	ctx, _ = t.tracer.Start(ctx, strings.TrimSpace(cmp.Or(o.Type, "refused")+" "+o.Name), trace.WithLinks(links...), trace.WithAttributes(
		attribute.String("graphql.operation.type", o.Type),
		attribute.String("graphql.operation.name", o.Name),
		attribute.String("pixgraph.document", o.Document()),
	))
	return ctx
}

func (t *Tracing) end(ctx context.Context, r serve.Result) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		attribute.Int("pixgraph.calls", r.Calls),
		attribute.String("pixgraph.client.name", r.Client.Name), attribute.String("pixgraph.client.version", r.Client.Version),
	)
	if len(r.Codes) > 0 {
		span.SetAttributes(attribute.StringSlice("pixgraph.codes", r.Codes))
		span.SetStatus(codes.Error, r.Codes[0])
	}
	span.End()
}
