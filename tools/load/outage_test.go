package main

import (
	"strings"
	"testing"
	"time"
)

func TestOutageCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*part)
		says   string
	}{
		{"all is well", func(*part) {}, ""},
		{"slow", func(p *part) { p.during.latencies = []time.Duration{time.Hour, time.Hour} }, ""},
		{"an error", func(p *part) { p.during.Outcomes = map[string]int{ok: 1, "OVERLOADED": 1} }, "OVERLOADED 1, ok 1"},
		{"no request", func(p *part) { p.alone = observation{} }, "not every request"},
		{"a breaker that stays closed", func(p *part) { p.during.coreOpen = false }, "core open false"},
		{"the other breaker opens", func(p *part) { p.during.dispatcherOpen = true }, "dispatcher open true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fine := observation{sample: sample{totals: totals{Outcomes: map[string]int{ok: 2}}, latencies: []time.Duration{1, 2}}}
			p := &part{alone: fine, during: fine}
			p.during.coreOpen = true
			tt.change(p)
			if err := p.check(); (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}
