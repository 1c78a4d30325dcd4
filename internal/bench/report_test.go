package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// example are results with round numbers: the gateway costs three times the floor, and a tenth of the reference.
func example() *results {
	r := &results{
		plan:    plan{rounds: 5, slice: time.Second, starts: 3, command: "go run ./internal/bench"},
		queries: []query{{name: "Q1", sets: []set{{rounds: [][]string{{"/a"}}}}, targets: targets{floor: 5, reference: 0.12, proxy: 2.2}}},
		date:    time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC), machine: "a machine",
		figures: map[cell]figure{}, start: 20 * time.Millisecond,
		memory: map[string]sizes{fastPath: {idle: 20 << 20, peak: 200 << 20}},
		slow:   map[string]figure{floorName: {p50: 40 * time.Millisecond}, fastPath: {p50: 43 * time.Millisecond}},
	}
	for server, cost := range map[string]time.Duration{floorName: 100, fastPath: 300, reference: 3000, proxyName: 120} {
		for _, connections := range connections() {
			r.figures[cell{"Q1", server, connections}] = figure{cpu: cost * time.Microsecond, rate: 1000, calls: 1}
		}
	}
	return r
}

// TestMarkdown: each target stands beside what was measured, and says so when it was missed.
func TestMarkdown(t *testing.T) {
	text := example().markdown()
	for _, want := range []string{
		"on 2026-06-30 12:00 UTC, in 0s, on a machine",
		"| Q1 | 1 | 100 | 300 | 3000 | 120 | 3 | 0.1 (≤ 0.12) | **2.5** (≤ 2.2, missed) |",
		"| Q1 | 16 | 100 | 300 | 3000 | 120 | 3 (≤ 5) | 0.1 (≤ 0.12) | **2.5** (≤ 2.2, missed) |",
		"first answer | 20 MiB | ≤ 32 MiB |",
		"64 connections | 200 MiB | ≤ 128 MiB, **missed** |",
		"median of 3 | 20.00 ms | ≤ 50.00 ms |",
		"| fast path: upstream calls per request of Q1 | 1 | exactly 1 |",
		"| fast path: what it takes longer | 3.00 ms | ≤ 2.00 ms, **missed** |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// TestMarkdownBefore: with an older gateway, it is what the target for the reference is about.
func TestMarkdownBefore(t *testing.T) {
	r := example()
	r.before = "older"
	for _, connections := range connections() {
		r.figures[cell{"Q1", earlier, connections}] = figure{cpu: 2 * time.Millisecond}
	}
	want := "| Q1 | 16 | 100 | 300 | 3000 | 2000 | 120 | 3 (≤ 5) | 0.1 | **0.15** (≤ 0.12, missed) |"
	if text := r.markdown(); !strings.Contains(text, want) {
		t.Errorf("there is no %q in\n%s", want, text)
	}
}

// TestChart: the picture is XML, and its bars are higher for what costs more.
func TestChart(t *testing.T) {
	bars := map[string]float64{}
	for decoder := xml.NewDecoder(strings.NewReader(example().chart())); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "rect" {
			continue
		}
		var rect struct {
			Class  string  `xml:"class,attr"`
			Height float64 `xml:"height,attr"`
		}
		if err := decoder.DecodeElement(&rect, &element); err != nil {
			t.Fatal(err)
		}
		bars[rect.Class] = rect.Height // the bar comes after the key
	}
	if len(bars) != 3 || bars["floor"] >= bars["fast"] || bars["fast"] >= bars["reference"] || bars["reference"] > plotBottom-plotTop {
		t.Errorf("heights: %v", bars)
	}
	if strings.Contains(example().chart(), "%!") {
		t.Error("a number was not written")
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"odd", []float64{9, 1, 2}, 2},
		{"even", []float64{4, 1, 2, 9}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := median(tt.values); got != tt.want {
				t.Errorf("%g, not %g", got, tt.want)
			}
		})
	}
}

func TestPercentile(t *testing.T) {
	var sorted []time.Duration
	for i := range 100 {
		sorted = append(sorted, time.Duration(i))
	}
	for percent, want := range map[int]time.Duration{0: 0, 50: 50, 99: 99, 100: 99} {
		if got := percentile(sorted, percent); got != want {
			t.Errorf("%d %%: %d, not %d", percent, got, want)
		}
	}
}
