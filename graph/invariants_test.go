package graph

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What no request can bring about, so that it is tested from within.

// TestBugsAreMasked: an error that nobody foresaw, or a panic, is told to the client as such, and logged once.
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
			if shown.Message != "internal error" || shown.Extensions["code"] != codeInternal || strings.Contains(shown.Error(), "secret") {
				t.Errorf("told: %v %v", shown, shown.Extensions)
			}
			if lines := strings.Count(log.String(), "level=ERROR"); lines != 1 || !strings.Contains(log.String(), "msg=\""+tt.logged) && !strings.Contains(log.String(), "msg="+tt.logged) {
				t.Errorf("logged %d lines: %s", lines, log.String())
			}
			if tt.name == "panic" && strings.Contains(log.String(), secret) {
				t.Errorf("the value of the panic was logged: %s", log.String())
			}
		})
	}
}

// TestLoadersDoNotWait: no level of links is charged a batch window. The clock of the bubble moves only when all wait.
func TestLoadersDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		inner := loader[int]{lookup: &lookup[int]{"record", asItIs, func(context.Context, string) (*int, error) { fetched++; return &fetched, nil }, &loadCount{}}}
		outer := loader[int]{lookup: &lookup[int]{"record", strings.ToLower, inner.load, &loadCount{}}}
		began := time.Now()
		for _, id := range []string{"a", "A", "b", "a"} {
			if _, err := outer.load(context.Background(), id); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(began); waited != 0 || fetched != 2 {
			t.Errorf("waited %v for %d records, want 2 at once", waited, fetched)
		}
	})
}
