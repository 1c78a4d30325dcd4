package gateway

import (
	"io"
	"os"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"

	"pixgraph/internal/memory"
	"pixgraph/upstream/client"
)

// ThisProcess returns the environment of the process, and sets how it collects garbage. Nothing else reads the
// environment.
func ThisProcess() Process {
	container := memory.Container()
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		memory.Pace(memory.Floor, container)
	}
	sampleHeap(false) // serve turns it on if profiling is set
	p := Process{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		started: func(addresses) {}, after: time.After, openFiles: maxOpenFiles(), memory: container,
	}
	p.cacheDir, _ = os.UserCacheDir() // "" if the environment names none
	return p
}

// Process is the environment of Run, so that tests can replace it.
type Process struct {
	args      []string
	environ   []string
	stdin     io.Reader
	stdout    io.Writer
	stderr    io.Writer
	started   func(addresses)                      // called when both addresses are served
	after     func(time.Duration) <-chan time.Time // the clock of shutdown_delay
	certTicks <-chan time.Time                     // triggers the checks for changed certificates; nil for a ticker
	// cacheDir is the user's directory for cached files; "" for none.
	cacheDir string
	spans    trace.SpanExporter   // receives spans; nil for the collector in environ
	calls    func(*client.Config) // changes how the APIs are called; nil for the settings alone
	// openFiles is how many files the process may open; 0 if it is unknown.
	openFiles int
	// memory is how much memory the process may use, in bytes; 0 if it is not limited.
	memory int64
}

// addresses are the addresses that a gateway serves.
type addresses struct{ public, admin string }
