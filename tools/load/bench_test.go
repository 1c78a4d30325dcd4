package main

import (
	"strings"
	"testing"
	"time"

	"pixgraph/internal/process"
)

// TestBenchDiffers: a server whose responses differ from those of the first one is an error.
func TestBenchDiffers(t *testing.T) {
	address := startInTest(t, scriptedRole, map[string]script{"/graphql": {Response: []byte(`{"data":2}`)}, "/Q2/0": {Response: []byte(`{"errors":[]}`)}})
	first := &server{recorded: map[string][]recorded{"Q2": {{response: []byte(`{"data":1}`)}}}}
	for name, want := range map[string][]recorded{gatewayName: nil, earlier: first.recorded["Q2"], floorName: nil} {
		first.recorded["Q2"] = want
		s := &server{Process: &process.Process{Name: name, Address: address}, recorded: map[string][]recorded{"Q1": nil}}
		b := &bench{queries: []query{{name: "Q2", sets: make([]set, 1)}}, servers: []*server{first}}
		if err := b.record(t.Context(), s); (err == nil) != (name == gatewayName) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// example has round figures: the gateway costs three times the floor.
func example() *bench {
	b := &bench{
		tool: &tool{args: []string{"bench"}}, rounds: 5, slice: time.Second, connections: []int{1, 16}, machine: "a machine",
		queries: []query{{name: "Q1", title: "title", floor: 5, proxy: 2.2}}, began: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC),
		samples: map[cell][]sample{},
		servers: []*server{{Process: &process.Process{Name: gatewayName}, start: 20 * time.Millisecond, idle: 20 << 20, peak: 200 << 20}},
	}
	b.add(map[string]time.Duration{floorName: 100, gatewayName: 300, proxyName: 120})
	return b
}

// add adds three samples for each server: less than the cost in microseconds, that, and more.
func (b *bench) add(costs map[string]time.Duration) {
	for server, cost := range costs {
		for _, connections := range b.connections {
			for _, cost := range []time.Duration{cost / 2, cost, 3 * cost} {
				at := cell{"Q1", server, connections}
				b.samples[at] = append(b.samples[at], sample{latencies: []time.Duration{1e6, 2e6}, elapsed: time.Second, cpu: 2 * cost * time.Microsecond})
			}
		}
	}
}

// TestReport: each figure with a target shows the target, marked if it was missed.
func TestReport(t *testing.T) {
	b := example()
	checkReport(t, b, "by `bin/load bench` on 2026-06-30 12:00 UTC", "on a machine", "differ by 250 %",
		"| Q1 | 1 | gateway | 300 | | 2 | 2.00 ms | 2.00 ms |", "| Q1 | 1 | floor | 100 | 3 | 2 |", "| Q1 | 16 | floor | 100 | 3 (≤ 5) | 2 |",
		"| Q1 | 16 | proxy | 120 | 2.5 (≤ 2.2, **missed**) | 2 |",
		"| gateway | 20.00 ms (≤ 50.00 ms) | 20 MiB (≤ 32 MiB) | 200 MiB (≤ 128 MiB, **missed**) |")
	b.before = "older"
	b.add(map[string]time.Duration{earlier: 290})
	checkReport(t, b, "- **before**", "| Q1 | 16 | before | 290 | 1.03 (≤ 1.03, **missed**) | 2 |")
}

// TestRatio: a round in which the machine was slow does not change the ratio.
func TestRatio(t *testing.T) {
	of := func(costs ...time.Duration) (samples []sample) {
		for _, cost := range costs {
			samples = append(samples, sample{latencies: []time.Duration{1e6}, cpu: cost})
		}
		return samples
	}
	b := &bench{samples: map[cell][]sample{{"Q1", gatewayName, 16}: of(100, 300, 110), {"Q1", floorName, 16}: of(50, 150, 50)}}
	if got := b.ratio(query{name: "Q1"}, floorName, 16); got != "2" {
		t.Errorf("the ratio is %s, want 2", got)
	}
}

func checkReport(t *testing.T, b *bench, wants ...string) {
	t.Helper()
	text, err := b.report()
	if err != nil {
		t.Fatal(err)
	}
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, want := range wants {
		if !strings.Contains(squeezed, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
