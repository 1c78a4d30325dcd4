package hostile

import (
	"testing"
	"time"

	"pixgraph/internal/process"
	"pixgraph/test/gatewaytest"
)

// timeout is how long any step may take on a busy machine.
const timeout = 60 * time.Second

// build builds the binary, with additional flags of `go build`.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	binary, err := process.Build(t.Context(), t.TempDir(), flags...)
	must(t, err)
	return binary
}

// raceEnviron is the environment of a binary with the race detector. With Go's default garbage collection the memory at
// the end shows what is still in use, not what is uncollected; the race detector multiplies either.
func raceEnviron() []string {
	return []string{"GORACE=halt_on_error=1 atexit_sleep_ms=100", "GOGC=100"}
}

// releaseEnviron is the environment of a binary with its own settings of garbage collection.
func releaseEnviron() []string { return []string{"GOGC=", "GOMEMLIMIT="} }

// launched is a process with its log.
type launched struct {
	*process.Process
	binary  string
	log     *gatewaytest.Log
	stopped bool
}

// launch starts the binary on free ports unless the flags name others, with additional environment variables. The
// process ends with the test at the latest.
func launch(t *testing.T, binary string, environ []string, flags ...string) *launched {
	t.Helper()
	log := &gatewaytest.Log{}
	p, err := process.Start(t.Context(), process.Config{
		Name: "gateway", Binary: binary, Args: flags,
		Env: append([]string{"PIXGRAPH_LISTEN=127.0.0.1:0", "PIXGRAPH_ADMIN_LISTEN=127.0.0.1:0"}, environ...), Log: log,
	})
	if err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	l := &launched{Process: p, binary: binary, log: log}
	t.Cleanup(func() {
		if !l.stopped {
			_ = l.Stop() // the end of the test's context has killed it
		}
	})
	return l
}

// wantStopped stops the process and fails the test unless its exit code is 0.
func (l *launched) wantStopped(t *testing.T) {
	t.Helper()
	l.stopped = true
	if err := l.Stop(); err != nil {
		t.Errorf("%v: %s", err, l.log)
	}
}

// usage is what the process uses.
func (l *launched) usage(t *testing.T) process.Usage {
	t.Helper()
	u, err := l.Usage()
	if err != nil {
		t.Fatalf("%v: %.5000s", err, l.log)
	}
	return u
}
