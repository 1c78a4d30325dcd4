package gateway

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"pixgraph/gateway/telemetry"
)

// newLog returns a log of JSON lines, or of text if it goes to a terminal.
func newLog(w io.Writer, level string) *slog.Logger {
	var minimum slog.Level
	if err := minimum.UnmarshalText([]byte(level)); err != nil {
		minimum = slog.LevelInfo // settings accepts only levels that slog knows
	}
	if isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: minimum, ReplaceAttr: forTerminal}))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: minimum}))
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

// openTelemetry starts the metrics, and tracing if the environment names a collector.
func (g *instance) openTelemetry(ctx context.Context) (err error) {
	g.metrics = telemetry.New()
	var tracing *telemetry.Tracing
	if g.process.Spans != nil {
		tracing, err = telemetry.NewTracing(ctx, g.process.Spans, g.metrics)
	} else {
		tracing, err = telemetry.OpenTracing(ctx, g.process.Environ, g.metrics)
	}
	return g.opened(err, func() {
		if tracing == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := tracing.Close(ctx); err != nil {
			g.log.Warn("the last spans could not be sent")
		}
	})
}

// flushTimeout bounds how long the end of the process waits for the trace collector.
const flushTimeout = 5 * time.Second
