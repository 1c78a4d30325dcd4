package gateway

import (
	"io"
	"net"
	"os"
	"runtime"

	"go.opentelemetry.io/otel/sdk/trace"

	"pixgraph/internal/egress"
	"pixgraph/internal/memory"
	"pixgraph/sandbox"
)

// ThisProcess returns the environment of the process, and sets how it collects garbage. Nothing else reads the
// environment.
func ThisProcess() Process {
	container := memory.Container()
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		memory.Pace(memory.Floor, container)
	}
	runtime.MemProfileRate = sampleEvery
	p := Process{
		Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		OpenFiles: maxOpenFiles(), Memory: container,
	}
	p.CacheDir, _ = os.UserCacheDir() // "" if the environment names none
	return p
}

// Process is the environment of Run, so that tests can replace it.
type Process struct {
	Args           []string
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// CacheDir is the user's directory for cached files; "" for none.
	CacheDir string
	Sockets  Sockets            // opens addresses and connections; nil for the operating system
	Spans    trace.SpanExporter // receives spans; nil for the collector in Environ
	// OpenFiles is how many files the process may open; 0 if it is unknown.
	OpenFiles int
	// Memory is how much memory the process may use, in bytes; 0 if it is not limited.
	Memory int64
}

// Sockets opens addresses and connections instead of the operating system: a network in memory, for tests.
type Sockets interface {
	egress.Dialer
	egress.Resolver
	ListenOn(address string) (net.Listener, error)
}

// sandbox returns the configuration of a sandbox in this process.
func (p Process) sandbox() (config sandbox.Config) {
	if p.Sockets != nil {
		config.Listen = func() (net.Listener, error) { return p.Sockets.ListenOn("127.0.0.1:0") }
		config.Dial = p.Sockets.DialContext
	}
	return config
}
