package process

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test's binary be the processes that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		if serve, found := servers()[os.Args[1]]; found {
			serve()
			return
		}
	}
	// With the race detector, the binary sleeps for a second before it exits.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	m.Run()
}

// servers are what the test's binary does as a process.
func servers() map[string]func() {
	return map[string]func(){
		// A server that reports what it reads and two variables, as its admin address.
		"serve": func() {
			stopped := make(chan os.Signal, 1)
			signal.Notify(stopped, syscall.SIGTERM)
			var input string
			_ = json.NewDecoder(os.Stdin).Decode(&input)
			_, _ = io.WriteString(os.Stderr, "starting\n")
			_ = json.NewEncoder(os.Stderr).Encode(serving{
				"serving", "127.0.0.1:1", os.Getenv("PORT_PREFIX") + input + os.Getenv("PIXGRAPH_UPSTREAM_TIMEOUT"),
			})
			<-stopped
		},
		"fail": func() {
			_, _ = io.WriteString(os.Stderr, "no such flag\n")
			os.Exit(1)
		},
	}
}

// TestStart: a process that serves is configured, measured and stopped. The variables of settings do not reach it.
func TestStart(t *testing.T) {
	t.Setenv("PIXGRAPH_UPSTREAM_TIMEOUT", "nonsense")
	var log bytes.Buffer // read after the end of the process
	p, err := Start(t.Context(), Config{
		Name: "server", Binary: os.Args[0], Args: []string{"serve"}, Env: []string{"PORT_PREFIX=127.0.0.1:"}, Input: "2", Log: &log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Address != "127.0.0.1:1" || p.Admin != "127.0.0.1:2" {
		t.Errorf("addresses %s and %s", p.Address, p.Admin)
	}
	if u, err := p.Usage(); err != nil || u.RSS < 1<<20 || u.Peak < u.RSS || u.Files < 3 || u.CPU < 0 {
		t.Errorf("usage %+v, %v", u, err)
	}
	if err := p.ResetPeak(); err != nil {
		t.Error(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(log.String(), "starting\n") || !strings.Contains(log.String(), `"serving"`) {
		t.Errorf("log: %q", log.String())
	}
	if u, err := p.Usage(); err == nil {
		t.Errorf("usage %+v of a process that has ended", u)
	}
}

// TestStartFails with the last line of the process.
func TestStartFails(t *testing.T) {
	_, err := Start(t.Context(), Config{Name: "server", Binary: os.Args[0], Args: []string{"fail"}})
	if err == nil || !strings.Contains(err.Error(), "no such flag") || !strings.Contains(err.Error(), "exit status 1") {
		t.Error(err)
	}
	if _, err := Start(t.Context(), Config{Name: "server", Binary: "/nothing"}); err == nil {
		t.Error("a binary that does not exist was started")
	}
}
