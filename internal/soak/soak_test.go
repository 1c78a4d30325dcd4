package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestMeasure soaks a gateway for a moment: nothing is said of growth, all else must be right.
func TestMeasure(t *testing.T) {
	var table bytes.Buffer
	samples, err := measure(t.Context(), plan{duration: time.Millisecond, clients: 2, remembered: 5}, &table)
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) != 1 {
		t.Fatalf("%d samples", len(samples))
	}
	s := samples[0]
	if s.requests == 0 || s.rss < 1<<20 || s.heap < 1<<18 || s.goroutines < 5 || s.files < 5 || s.at < minCycle {
		t.Errorf("sample %+v", s)
	}
	if lines := strings.Count(table.String(), "\n"); lines != 2 {
		t.Errorf("%d lines:\n%s", lines, table.String())
	}
}

// series are samples of which each has more of everything than the one before.
func series(n int, by int64) []sample {
	samples := make([]sample, n)
	for i := range samples {
		grown := int64(i) * by
		samples[i] = sample{rss: 90<<20 + grown<<20, heap: 5<<20 + grown<<10, goroutines: 12 + grown, files: 50 + grown}
	}
	return samples
}

func TestJudge(t *testing.T) {
	noisy := series(20, 0)
	for i := range noisy {
		noisy[i].rss += int64(i%3) << 23
		noisy[i].goroutines += int64(i % 5)
	}
	spike := series(20, 0)
	spike[18].heap, spike[18].files = 1<<30, 10_000
	filled := series(20, 0)
	filled[0] = sample{rss: 1 << 20} // before its caches were filled
	leaking := series(20, 0)
	for i := range leaking {
		leaking[i].goroutines += int64(i) * 10
	}
	tests := []struct {
		name    string
		samples []sample
		says    string
	}{
		{"flat", series(20, 0), ""},
		{"noise", noisy, ""},
		{"one spike", spike, ""},
		{"filling up at the beginning", filled, ""},
		{"everything grows", series(40, 20), "RSS MiB, goroutines, files"},
		{"goroutines grow", leaking, "it keeps growing: goroutines"},
		{"few samples", series(5, 100), "it keeps growing: RSS MiB, goroutines, files"},
		{"too few", series(4, 0), errTooShort.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := judge(&out, tt.samples)
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
			if !errors.Is(err, errTooShort) && strings.Count(out.String(), "\n") != 6 {
				t.Errorf("printed\n%s", out.String())
			}
		})
	}
}

func TestPlan(t *testing.T) {
	tests := []struct {
		name  string
		args  string
		cycle time.Duration
		says  string
	}{
		{"ten minutes", "", 30 * time.Second, ""},
		{"an hour", "-duration 1h", maxCycle, ""},
		{"two minutes", "-duration 2m", 6 * time.Second, ""},
		{"a moment", "-duration 1s", minCycle, ""},
		{"none", "-duration 0", 0, "positive"},
		{"no clients", "-clients 0", 0, "positive"},
		{"an argument", "fast", 0, "unknown argument"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := parsePlan(strings.Fields(tt.args), io.Discard)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("error %v, want %q", err, tt.says)
				}
				return
			}
			if err != nil || p.cycle() != tt.cycle {
				t.Errorf("a cycle of %s, %v", p.cycle(), err)
			}
		})
	}
}
