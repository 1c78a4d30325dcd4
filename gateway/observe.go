package gateway

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"pixgraph/gateway/telemetry"
	"pixgraph/graph/pipeline"
	"pixgraph/upstream/client"
)

// newLog returns a log of JSON lines, or of text if it goes to a terminal.
func newLog(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		least = slog.LevelInfo // settings accepts only levels that slog knows
	}
	if isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: least, ReplaceAttr: forTerminal}))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least}))
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// forTerminal shortens log lines for a reader: the time is without date, and the startup line without the settings.
func forTerminal(groups []string, attr slog.Attr) slog.Attr {
	switch {
	case len(groups) == 1 && groups[0] == "settings":
		return slog.Attr{}
	case len(groups) == 0 && attr.Key == slog.TimeKey:
		return slog.String(attr.Key, attr.Value.Time().Format(time.TimeOnly))
	default:
		return attr
	}
}

// instrumentation is the telemetry of a gateway: metrics always, and traces if the environment names a collector.
type instrumentation struct {
	metrics *telemetry.Metrics
	tracing *telemetry.Tracing // nil without tracing
}

// newInstrumentation starts the telemetry; close ends it.
func newInstrumentation(ctx context.Context, p Process) (instrumentation, error) {
	i := instrumentation{metrics: telemetry.New()}
	var err error
	if p.spans != nil {
		i.tracing, err = telemetry.NewTracing(ctx, p.spans, i.metrics)
	} else {
		i.tracing, err = telemetry.OpenTracing(ctx, p.environ, i.metrics)
	}
	return i, err
}

// flushTimeout bounds how long the end of the process waits for the trace collector.
const flushTimeout = 5 * time.Second

func (i instrumentation) close(log *slog.Logger) {
	if i.tracing == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := i.tracing.Close(ctx); err != nil {
		log.Warn("the last spans could not be sent")
	}
}

// calls returns the observer of calls.
func (i instrumentation) calls() client.Observer {
	if i.tracing == nil {
		return i.metrics.Calls()
	}
	return instrumentedCalls{i.metrics.Calls(), i.tracing.Calls()}
}

// instrumentedCalls counts and traces calls.
type instrumentedCalls struct{ metrics, tracing client.Observer }

// Begin implements client.Observer.
func (c instrumentedCalls) Begin(ctx context.Context, header client.Header) client.Header {
	return c.tracing.Begin(ctx, header)
}

// End implements client.Observer.
func (c instrumentedCalls) End(ctx context.Context, e client.Exchange) {
	c.metrics.End(ctx, e)
	c.tracing.End(ctx, e)
}

// observer returns the observer of operations.
func (i instrumentation) observer() pipeline.Observer {
	if i.tracing == nil {
		return i.metrics
	}
	return i
}

// Begin implements pipeline.Observer.
func (i instrumentation) Begin(ctx context.Context, o pipeline.Operation) context.Context {
	return i.tracing.Begin(i.metrics.Begin(ctx, o), o)
}

// End implements pipeline.Observer.
func (i instrumentation) End(ctx context.Context, o pipeline.Operation, r pipeline.Result) {
	i.tracing.End(ctx, o, r)
	i.metrics.End(ctx, o, r)
}

// around counts and traces the requests to a handler.
func (i instrumentation) around(next http.Handler) http.Handler {
	if i.tracing != nil {
		next = i.tracing.Around(next)
	}
	return i.metrics.Around(next)
}
