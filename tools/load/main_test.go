package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	code := m.Run()
	_ = os.RemoveAll(buildDir())
	os.Exit(code)
}

var buildDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "pixgraph-load-test-")
	if err != nil {
		panic(err)
	}
	return dir
})

// build builds the gateway once for all tests.
var build = sync.OnceValues(func() (string, error) { return process.Build(context.Background(), buildDir()) })

// newTool is a tool with a gateway. The flags are for that.
func newTool(t *testing.T, flags ...string) *tool {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return &tool{args: []string{"test"}, binary: binary, flags: flags, stdout: io.Discard, stderr: io.Discard}
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
		{"flags of the gateway", "outage -gateway " + binary + " -- --profiling=on", "--profiling=on"},
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

// serve starts an HTTP server for a test and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
