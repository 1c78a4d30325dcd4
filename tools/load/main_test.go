package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pixgraph/internal/process"
)

// TestMain lets the test's binary serve in the roles that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && roles()[os.Args[1]] != nil {
		main()
		return
	}
	// With the race detector, the binary sleeps for a second before it exits.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func TestRunArguments(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "gateway")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\necho $* >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, args, says string }{
		{"nothing", "", `"" is not a subcommand`},
		{"another subcommand", "storm", `"storm" is not a subcommand`},
		{"unknown flag", "bench -fast", "-fast"},
		{"no duration", "soak -duration long", "duration"},
		{"gateway that does not serve", "soak -gateway " + binary, "gateway did not serve"},
		{"flags of the gateway", "outage -gateway " + binary + " -- --live=off", "--live=off"},
		{"role without a configuration", scriptedRole, "configuration"},
		{"role with another configuration", proxyRole + " 1", "configuration"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := strings.Fields(tt.args)
			input := ""
			if len(args) == 2 && args[0] == proxyRole {
				input = args[1]
			}
			if err := run(t.Context(), args, strings.NewReader(input), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

// TestSmoke runs each subcommand as briefly as it can: everything is started, loaded, compared and reported. Figures
// are for the targets of the Makefile, on a machine that does nothing else. It takes a minute, since each subcommand
// starts servers and measures for some seconds; the other tests take one second.
func TestSmoke(t *testing.T) {
	binary, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, args string
		says       []string // in the report
		fails      string   // what is too short for a result; "" for nothing
	}{
		{"bench", "-quick -before " + binary, []string{" Q5 |", "gateway |", "before |", "floor |", "proxy |", "peak memory"}, ""},
		{"download", "-records 1050", []string{" queries |", " CSV |", " NDJSON |"}, ""}, // the last of eleven pages is not full
		{"fleet", "-window 100ms -limits 1", []string{"identity | 500 | 10 |", "known to another replica", "cut off |"}, ""},
		{"outage", "-hang 10ms", []string{"with backoff | during", "without backoff | during"}, "circuit breaker of the core did not open"},
		{"shares", "-window 10ms -only failing", []string{"failing record | before |", "failing record | during |"}, ""},
		{"soak", "-duration 1ns", nil, "too few readings"},
		{"streams", "-streams 5 -window 10ms -rest 1ms", []string{"at rest, sse |", "at rest, multipart |", "at rest, websocket |",
			"five streams of each record |", "one stream of each record |", "nudges |", "three replicas |", "one caller |", "100 callers |"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var report bytes.Buffer
			args := append([]string{tt.name, "-gateway", binary}, strings.Fields(tt.args)...)
			err := run(t.Context(), args, nil, &report, t.Output())
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%v, want %q", err, tt.fails)
			}
			for _, want := range tt.says {
				if text := strings.Join(strings.Fields(report.String()), " "); !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, &report)
				}
			}
		})
	}
}

// serve starts an HTTP server for a test and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
