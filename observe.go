package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"pixgraph/graph/pipeline"
	"pixgraph/internal/telemetry"
	"pixgraph/upstream"
)

// watch is what a gateway tells of itself: metrics always, traces where the environment says where they are to go.
type watch struct {
	metrics *telemetry.Metrics
	tracing *telemetry.Tracing // nil where nothing is traced
}

// newWatch begins to watch; close ends it.
func newWatch(ctx context.Context, p process) (watch, error) {
	w := watch{metrics: telemetry.New()}
	var err error
	if p.spans != nil {
		w.tracing, err = telemetry.NewTracing(ctx, p.spans, w.metrics)
	} else {
		w.tracing, err = telemetry.OpenTracing(ctx, p.environ, w.metrics)
	}
	return w, err
}

// flushTimeout bounds what the end of the process waits for a collector of traces.
const flushTimeout = 5 * time.Second

func (w watch) close(log *slog.Logger) {
	if w.tracing == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := w.tracing.Close(ctx); err != nil {
		log.Warn("the last spans could not be sent")
	}
}

// calls is what is notified of calls.
func (w watch) calls() upstream.Observer {
	if w.tracing == nil {
		return w.metrics.Calls()
	}
	return watchedCalls{w.metrics.Calls(), w.tracing.Calls()}
}

// watchedCalls are counted and traced.
type watchedCalls struct{ metrics, tracing upstream.Observer }

// Begin implements upstream.Observer.
func (w watchedCalls) Begin(ctx context.Context, header upstream.Header) upstream.Header {
	return w.tracing.Begin(ctx, header)
}

// End implements upstream.Observer.
func (w watchedCalls) End(ctx context.Context, e upstream.Exchange) {
	w.metrics.End(ctx, e)
	w.tracing.End(ctx, e)
}

// observer is what is notified of operations.
func (w watch) observer() pipeline.Observer {
	if w.tracing == nil {
		return w.metrics
	}
	return w
}

// Begin implements pipeline.Observer.
func (w watch) Begin(ctx context.Context, o pipeline.Operation) context.Context {
	return w.tracing.Begin(w.metrics.Begin(ctx, o), o)
}

// End implements pipeline.Observer.
func (w watch) End(ctx context.Context, o pipeline.Operation, r pipeline.Result) {
	w.tracing.End(ctx, o, r)
	w.metrics.End(ctx, o, r)
}

// around watches the requests that a handler answers.
func (w watch) around(next http.Handler) http.Handler {
	if w.tracing != nil {
		next = w.tracing.Around(next)
	}
	return w.metrics.Around(next)
}
