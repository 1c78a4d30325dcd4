package telemetry

import (
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

	"pixgraph/graph/pipeline"
)

// Tracing makes a span for each request, each operation and each call of an API. It is safe for concurrent use, and a
// pipeline.Observer. It must be closed.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
}

// OpenTracing begins to trace where the environment, a list of KEY=value, says where spans are to go, by the variables of
// OpenTelemetry; elsewhere it returns nil and starts nothing. Its error names the variable that is wrong.
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
			return nil, fmt.Errorf("%s: must be http/protobuf, which is the one that there is", key)
		}
	}
	exporter, err := otlptracehttp.New(ctx) // it reads the variables of its own
	if err != nil {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: spans cannot be sent there") // the cause may hold its password
	}
	return NewTracing(ctx, exporter, m)
}

// NewTracing traces to an exporter, which Close closes too. What is sampled, and the name of the service, follow the
// process's environment.
func NewTracing(ctx context.Context, exporter sdk.SpanExporter, m *Metrics) (*Tracing, error) {
	described, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "pixgraph")),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, errors.New("OTEL_RESOURCE_ATTRIBUTES: must be key=value pairs, separated by commas") // the cause repeats it
	}
	provider := sdk.NewTracerProvider(
		sdk.WithSpanProcessor(newExport(exporter, m)), sdk.WithResource(described), sdk.WithIDGenerator(ids{}),
	)
	return &Tracing{provider: provider, tracer: provider.Tracer("pixgraph")}, nil
}

// Close sends what was not sent yet, no longer than ctx, and ends.
func (t *Tracing) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Around makes the span of a request, the child of the client's where it sent one, and puts its context in place of the
// client's. The client's tracestate and baggage are not taken: they hold whatever it likes.
func (t *Tracing) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := propagation.HeaderCarrier(r.Header)
		path := pathOf(r.URL.Path)
		ctx, span := t.tracer.Start(t.context.Extract(r.Context(), parentOnly{header}), methodOf(r.Method)+" "+path,
			trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", methodOf(r.Method)), attribute.String("http.route", path)))
		t.context.Inject(ctx, header)
		answered := &answerWriter{ResponseWriter: w}
		defer func() {
			span.SetAttributes(attribute.Int("http.response.status_code", answered.status))
			if answered.status == 0 || answered.status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(answered, r.WithContext(ctx))
	})
}

// parentOnly are the headers of a request without its tracestate.
type parentOnly struct{ propagation.HeaderCarrier }

// Get implements propagation.TextMapCarrier.
func (h parentOnly) Get(key string) string {
	if key == "tracestate" {
		return ""
	}
	return h.HeaderCarrier.Get(key)
}

// methodOf is a method, if it is one of those that are served.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodOptions:
		return method
	default:
		return "HTTP" // what OpenTelemetry's conventions have for all others
	}
}

// Begin implements pipeline.Observer: it makes the operation's span.
func (t *Tracing) Begin(ctx context.Context, o pipeline.Operation) context.Context {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx // the span would be thrown away, and calls may as well be children of the request
	}
	ctx, _ = t.tracer.Start(ctx, strings.TrimSpace(orElse(o.Type, "refused")+" "+o.Name), trace.WithAttributes(
		attribute.String("graphql.operation.type", o.Type),
		attribute.String("graphql.operation.name", o.Name),
		attribute.String("pixgraph.document", o.Document()),
	))
	return ctx
}

// End implements pipeline.Observer.
func (t *Tracing) End(ctx context.Context, _ pipeline.Operation, r pipeline.Result) {
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
