package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"pixgraph/graph"
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

// client completes the configuration of a gateway's client.
func (w watch) client(config upstream.Config) upstream.Config {
	if w.tracing != nil {
		header := config.Header
		config.Header = func(ctx context.Context) upstream.Header {
			h := header(ctx)
			h.TraceParent = w.tracing.TraceParent(ctx)
			return h
		}
	}
	config.Observe = func(ctx context.Context, e upstream.Exchange) {
		graph.ObserveExchange(ctx, e)
		w.metrics.ObserveExchange(ctx, e)
		if w.tracing != nil {
			w.tracing.ObserveExchange(ctx, e)
		}
	}
	return config
}

// observer is who is told of operations.
func (w watch) observer() graph.Observer {
	if w.tracing == nil {
		return w.metrics
	}
	return w
}

// Begin implements graph.Observer.
func (w watch) Begin(ctx context.Context, o graph.Operation) context.Context {
	return w.tracing.Begin(w.metrics.Begin(ctx, o), o)
}

// End implements graph.Observer.
func (w watch) End(ctx context.Context, o graph.Operation, r graph.Result) {
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
