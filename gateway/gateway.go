// Package gateway is the process of Pixgraph: its commands, its settings, the addresses that it serves, its network, and how it
// starts and stops. What happens to a request is in package pipeline.
//
// Read Run first, then serve, then pipeline.New.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/net/netutil"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
	"pixgraph/gateway/telemetry"
	"pixgraph/graph/pipeline"
	"pixgraph/internal/certs"
	"pixgraph/internal/httpserver"
	"pixgraph/internal/memory"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// ThisProcess returns the environment of the process, and sets how it collects garbage. Nothing else reads the environment.
func ThisProcess() Process {
	container := memory.Container()
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		memory.Pace(memory.Floor, container)
	}
	sampleHeap(false) // serve turns it on if profiling is set
	p := Process{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		started: func(addresses) {}, after: time.After, openFiles: mostOpenFiles(), memory: container,
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

// serve serves a gateway until ctx ends, then lets running operations finish.
func serve(ctx context.Context, p Process) error {
	s, err := settings.Load(p.args, p.environ)
	if err != nil {
		return err
	}
	s.Fit(p.memory)
	log := newLog(p.stderr, s.LogLevel)
	public, admin, err := listen(ctx, s)
	if err != nil {
		return err
	}
	defer public.Close()
	defer admin.Close()
	files := s.TLS
	files.Log, files.Ticks = log, p.certTicks
	certificates, err := certs.Open(files)
	if err != nil {
		return err
	}
	defer certificates.Close()
	var box *sandbox.Sandbox
	if s.Sandbox() {
		config := sandbox.Config{Servers: loopbackURLs(public.Addr(), scheme(s)), KeyFile: keyFile(p.cacheDir, log), Now: time.Now}
		if box, s, err = startSandbox(s, config, log); err != nil {
			return err
		}
		defer box.Close()
	}
	network, err := openNetwork(s, log)
	if err != nil {
		return err
	}
	defer network.close()
	network.calls = p.calls
	authenticator, err := network.newAuthenticator(s, box, log)
	if err != nil {
		return err
	}
	defer authenticator.Close()
	authenticator.Start(context.WithoutCancel(ctx)) // until Close: requests during draining are verified too
	if s.Profiling {
		sampleHeap(true)
	}
	instr, err := newInstrumentation(ctx, p)
	if err != nil {
		return err
	}
	defer instr.close(log)
	apis, err := network.newClient(s)
	if err != nil {
		return err
	}
	defer apis.Close()
	gateway, err := newGateway(s, apis, authenticator, box, instr, log)
	if err != nil {
		return err
	}
	defer gateway.Close()
	instr.metrics.Read(telemetry.Sources{
		Upstream: apis.Stats, Auth: authenticator.Stats, Gateway: gateway.Stats,
		Certificates: func() map[string]time.Time {
			expiries := map[string]time.Time{}
			certificates.Expiries(expiries)
			network.expiries(expiries)
			return expiries
		},
	})
	return serveUntilDone(ctx, p, s, log, public, admin, certificates, gateway, authenticator, box, instr)
}

// scheme is that of the URLs of the public address.
func scheme(s settings.Settings) string {
	if s.TLS.Cert.Path != "" {
		return "https"
	}
	return "http"
}

func newGateway(
	s settings.Settings, apis *client.Client, authenticator *auth.Authenticator, box *sandbox.Sandbox,
	instr instrumentation, log *slog.Logger,
) (*pipeline.Gateway, error) {
	config := pipeline.Config{
		Client: apis, Authenticator: authenticator,
		Introspection: s.Introspection, Trace: s.Trace == traceOn, Log: log, Observer: instr.observer(), Calls: instr.calls(),
		Limits: s.Limits, Persisted: s.Persisted, CORS: s.CORS,
		OperationTimeout: s.OperationTimeout, MaxOperations: s.Operations,
		MaxMemory: s.Memory, Bytes: quota.Limits{Read: maxRead, Answer: maxAnswer}, LogOneIn: s.LogOneIn, WithoutFastPath: !s.FastPath,
		Live: s.Streams, WithoutLive: !s.Live,
		NudgeSecret: string(s.LiveNudgeSecret),
	}
	if s.LinksMetadataPointer != "" {
		pointer, err := upstream.ParsePointer(s.LinksMetadataPointer)
		if err != nil {
			return nil, fmt.Errorf("links_metadata_pointer: %w", err)
		}
		config.MetadataPointer = pointer
	}
	if s.Console {
		page, err := newConsole(s, box)
		if err != nil {
			return nil, err
		}
		config.Console = page
	}
	if box != nil {
		config.Sandbox = box.Handler()
	}
	return pipeline.New(config)
}

// The limits of one operation, in bytes, of what it reads and of its response.
const (
	// maxRead allows fifty pages of 100 deposits, which are 22 MB.
	maxRead = 32 << 20
	// maxAnswer is forty times a page of 100 deposits with all fields. An operation with more should be a download.
	maxAnswer = 16 << 20
)

// traceOn is the value that turns the setting trace on.
const traceOn = "on"

// serveUntilDone serves the gateway and the admin address until ctx ends, and then shuts down in the steps that drain.go describes.
func serveUntilDone(
	ctx context.Context, p Process, s settings.Settings, log *slog.Logger,
	public, admin net.Listener, certificates *certs.Files,
	gateway *pipeline.Gateway, authenticator *auth.Authenticator, box *sandbox.Sandbox, instr instrumentation,
) error {
	public = netutil.LimitListener(public, s.Connections)

	var draining atomic.Bool
	publicServer := httpserver.New(instr.around(httpserver.BoundHTTP2(closeWhileDraining(gateway, &draining), s.Connections)), log)
	adminServer := httpserver.New(adminMux(health(authenticator.Ready, &draining), instr.metrics.Handler(), s.Profiling), log)
	var serving sync.WaitGroup
	ended := make(chan error, 2)
	serving.Go(func() { ended <- httpserver.Serve(publicServer, public, certificates) })
	serving.Go(func() { ended <- adminServer.Serve(admin) })

	announce(ctx, p, s, log, public, admin, box)

	var err error
	select {
	case err = <-ended:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	draining.Store(true)
	log.Info("draining", "delay", s.ShutdownDelay.String(), "timeout", s.ShutdownTimeout.String())
	gateway.DrainStreams(s.ShutdownDelay)
	if err == nil && s.ShutdownDelay > 0 {
		select {
		case err = <-ended:
			err = fmt.Errorf("serve: %w", err)
		case <-p.after(s.ShutdownDelay):
		}
	}
	gateway.EndStreams() // Shutdown does not see their connections
	err = errors.Join(err, drain(ctx, publicServer, s.ShutdownTimeout))
	_ = adminServer.Close() // it reported until now that the gateway is not ready
	serving.Wait()
	if err != nil {
		return err
	}
	log.Info("stopped")
	return nil
}

// announce reports what is served, and what the settings or the limits of the process make unavailable.
func announce(ctx context.Context, p Process, s settings.Settings, log *slog.Logger, public, admin net.Listener, box *sandbox.Sandbox) {
	at := addresses{addressOf(public), addressOf(admin)}
	log.Info("serving", "address", at.public, "tls", s.TLS.Cert.Path != "", "admin", at.admin, "sandbox", box != nil,
		"core_http", protocolOf(s.UpstreamHTTP, s.CoreURL), "dispatcher_http", protocolOf(s.UpstreamHTTP, s.DispatcherURL), "settings", s)
	if missing := s.Missing(); len(missing) > 0 {
		log.LogAttrs(ctx, slog.LevelWarn, "features are unavailable because settings are not set", missing...)
	}
	if needed := s.FilesNeeded(); p.openFiles > 0 && p.openFiles < needed {
		log.Warn("the limit of open files is too low for limits_connections", "limit", p.openFiles, "needed", needed)
	}
	if needed := s.MemoryNeeded(); p.memory > 0 && p.memory < needed {
		log.Warn("the memory limit of the container is too low for limits_memory and live_streams", "limit", p.memory, "needed", needed)
	}
	if box != nil {
		greet(p.stdout, public.Addr(), scheme(s), box.URL())
	}
	p.started(at)
}
