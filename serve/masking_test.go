package serve

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
)

// No request causes these errors, so this test is in the package.

// TestBugsAreMasked: for an unexpected error or a panic, the client gets an internal error, and one line is logged.
func TestBugsAreMasked(t *testing.T) {
	const secret = "secret of 10.0.0.1"
	tests := []struct {
		name   string
		err    func(presenter) error
		logged string
	}{
		{"error", func(presenter) error { return errors.New(secret) }, "internal error"},
		{"panic", func(p presenter) error { return p.recover(context.Background(), secret) }, "panic"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			p := presenter{log: slog.New(slog.NewTextHandler(&log, nil)), counts: &counters{}}
			shown := p.present(context.Background(), tt.err(p))
			if shown.Message != "internal error" || shown.Extensions["code"] != string(apierror.Internal) || strings.Contains(shown.Error(), "secret") {
				t.Errorf("the client gets %v %v", shown, shown.Extensions)
			}
			text := strings.ReplaceAll(log.String(), `msg="`, "msg=")
			if lines := strings.Count(text, "level=ERROR"); lines != 1 || !strings.Contains(text, "msg="+tt.logged) {
				t.Errorf("logged %d lines: %s", lines, log.String())
			}
			if tt.name == "panic" && strings.Contains(log.String(), secret) {
				t.Errorf("the value of the panic was logged: %s", log.String())
			}
		})
	}
}
