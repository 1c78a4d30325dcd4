package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestMain lets the test's binary be the processes that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if _, ok := roles()[os.Args[1]]; ok {
			main()
			return
		}
	}
	// The roles are this binary too, which with the race detector sleeps for a second before it exits.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	m.Run() // the test's own main exits with what it found
}

// fewSets are enough for the requests of a query to differ, and for five transactions of one.
const fewSets = 8

// TestMeasure runs all there is with the least of requests, one of each sort: what is not about time must be right. It needs
// half a dozen processes, and some seconds.
func TestMeasure(t *testing.T) {
	p := plan{
		sets: fewSets, connections: []int{1, 2}, rounds: 1, starts: 1, command: "go test", progress: io.Discard,
	}
	found, err := measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range found.queries {
		for _, server := range []string{floorName, fastPath, reference} {
			for _, connections := range p.connections {
				f, ok := found.figures[cell{q.name, server, connections}]
				if !ok || f.rate <= 0 || f.p50 < 0 || f.p99 < f.p50 {
					t.Errorf("%s, %s over %d connections: %+v", q.name, server, connections, f)
				}
				if want := float64(map[string]int{"Q1": 1, "Q2": 1, "Q3": 1, "Q4": 25, "Q5": 4}[q.name]); f.calls != want {
					t.Errorf("%s, %s over %d connections: %g upstream calls per request, not %g", q.name, server, connections, f.calls, want)
				}
			}
		}
	}
	for _, server := range []string{fastPath, reference} {
		if m := found.memory[server]; m.idle < 1<<20 || m.peak < m.idle {
			t.Errorf("memory of %s: %+v", server, m)
		}
	}
	for server, f := range found.slow {
		if f.p50 < 2*latency { // a transaction is known when its notification is
			t.Errorf("%s answered in %s what takes two calls of %s after each other", server, f.p50, latency)
		}
	}
	if len(found.slow) != 3 || found.start <= 0 {
		t.Errorf("%d servers over slow APIs, first answer after %s", len(found.slow), found.start)
	}
}

func TestParsePlan(t *testing.T) {
	for _, tt := range []struct {
		name string
		args string
		want plan // of what is compared; the zero value when the arguments are refused
	}{
		{"full", "", plan{rounds: 5, command: "go run ./internal/bench"}},
		{"quick", "-quick", plan{rounds: 1, command: "go run ./internal/bench -quick"}},
		{"files", "-out docs -gateway a -before b", plan{
			rounds: 5, out: "docs", gateway: "a", before: "b", command: "go run ./internal/bench -out docs -gateway a -before b",
		}},
		{"unknown flag", "-fast", plan{}},
		{"unknown argument", "fast", plan{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := parsePlan(strings.Fields(tt.args), io.Discard)
			got := plan{rounds: p.rounds, out: p.out, gateway: p.gateway, before: p.before, command: p.command}
			if !reflect.DeepEqual(got, tt.want) || (err != nil) != (tt.want.command == "") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestBinaryThatIsNoGateway ends with what the binary said.
func TestBinaryThatIsNoGateway(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "gateway")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\necho no such flag >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	_, err := measure(t.Context(), plan{sets: fewSets, gateway: binary, progress: &told})
	if err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("%v; told %s", err, &told)
	}
}
