package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
)

// TestStart: a gateway that is built serves, is read and ends in peace; a variable of the environment does not reach it.
func TestStart(t *testing.T) {
	t.Setenv("PIXGRAPH_UPSTREAM_TIMEOUT", "nonsense")
	box, err := sandbox.Start(sandbox.Config{Records: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	g, err := Start(t.Context(), "", box)
	if err != nil {
		t.Fatal(err)
	}
	text, err := g.Read(t.Context(), "/metrics")
	if err != nil {
		t.Error(err)
	}
	if n, err := Metric(text, `pixgraph_upstream_breaker_state{service="core",state="closed"}`); n != 1 || err != nil {
		t.Errorf("the breaker's state is %g, %v", n, err)
	}
	if _, err := g.Read(t.Context(), "/nothing"); err == nil {
		t.Error("a page that is not there was read")
	}
	if n, err := g.Resident(); n < 1<<20 || err != nil {
		t.Errorf("%d bytes in memory, %v", n, err)
	}
	if n, err := g.Files(); n < 5 || err != nil {
		t.Errorf("%d files, %v", n, err)
	}
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(g.dir); !os.IsNotExist(err) {
		t.Errorf("the binary is left: %v", err)
	}
}

// TestStartFails ends with what the binary said.
func TestStartFails(t *testing.T) {
	box, err := sandbox.Start(sandbox.Config{Records: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	binary := filepath.Join(t.TempDir(), "gateway")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\necho no such flag >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), binary, box); err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Error(err)
	}
}

// TestReadings reads what Linux and the admin address write, and says so where it is not there.
func TestReadings(t *testing.T) {
	const metrics = "# HELP go_goroutines Number\ngo_goroutines_more 3\ngo_goroutines 14\ngo_memstats_heap_alloc_bytes 1.2345e+06\n" +
		`up{service="core"} 0` + "\n" + `up{service="dispatcher"} 1` + "\n"
	for name, want := range map[string]float64{
		"go_goroutines": 14, "go_memstats_heap_alloc_bytes": 1234500, `up{service="dispatcher"}`: 1,
	} {
		if got, err := Metric(metrics, name); err != nil || got != want {
			t.Errorf("%s is %g, %v", name, got, err)
		}
	}
	if _, err := Metric(metrics, "go_threads"); err == nil {
		t.Error("a metric that is not there has a value")
	}
	status := filepath.Join(t.TempDir(), "status")
	if err := os.WriteFile(status, []byte("Name:\tpixgraph\nVmRSS:\t   2048 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := residentOf(status); err != nil || got != 2<<20 {
		t.Errorf("resident %d, %v", got, err)
	}
}
