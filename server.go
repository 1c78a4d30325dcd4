// Pixgraph is a GraphQL gateway over the two read-only REST APIs of a Pix payment service.
//
// This file reads the settings, wires the packages together and serves. It holds no rule of its own: read main, then
// run, then pipeline.New.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/net/netutil"

	"pixgraph/auth"
	"pixgraph/graph/console"
	"pixgraph/graph/console/operations"
	"pixgraph/graph/pipeline"
	"pixgraph/internal/memory"
	"pixgraph/internal/settings"
	"pixgraph/internal/telemetry"
	"pixgraph/upstream"
	"pixgraph/upstream/sandbox"
)

func main() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		memory.Pace(memory.Floor)
	}
	sampleHeap(false)            // until the settings say so
	stdlog.SetOutput(io.Discard) // net/http prints there what an API sends unasked
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	p := process{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		started: func(addresses) {}, after: time.After,
	}
	if len(p.args) > 0 && p.args[0] == "doctor" {
		p.args = p.args[1:]
		os.Exit(diagnose(ctx, p))
	}
	err := run(ctx, p)
	stop()
	if err != nil && !errors.Is(err, settings.ErrHelp) {
		fmt.Fprintln(os.Stderr, "pixgraph:", err)
		os.Exit(1)
	}
}

// process is what run has of the process it runs in, so that tests can give it another.
type process struct {
	args    []string
	environ []string
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	started func(addresses)                      // called once both addresses are served
	after   func(time.Duration) <-chan time.Time // the clock of shutdown_delay
	spans   trace.SpanExporter                   // for spans; nil for the collector that environ says
}

// addresses are where a gateway is served.
type addresses struct{ public, admin string }

// run serves a gateway until ctx ends, then lets running operations finish.
func run(ctx context.Context, p process) error {
	s, err := settings.Load(p.args, p.environ, p.stdout)
	if err != nil {
		return err
	}
	log := newLog(p.stderr, s.LogLevel)
	var box *sandbox.Sandbox
	if s.Sandbox() {
		if box, s, err = startSandbox(s, log); err != nil {
			return err
		}
		defer box.Close()
	}
	authenticator, err := newAuthenticator(s, log)
	if err != nil {
		return err
	}
	defer authenticator.Close()
	authenticator.Start(context.WithoutCancel(ctx)) // until Close: what comes while the gateway drains is verified too
	if s.Profiling {
		sampleHeap(true)
	}
	seen, err := newWatch(ctx, p)
	if err != nil {
		return err
	}
	defer seen.close(log)
	client, err := newClient(s)
	if err != nil {
		return err
	}
	defer client.Close()
	gateway, err := newGateway(s, client, authenticator, box, seen, log)
	if err != nil {
		return err
	}
	defer gateway.Close()
	seen.metrics.Read(telemetry.Sources{Upstream: client.Stats, Auth: authenticator.Stats, Gateway: gateway.Stats})
	return serve(ctx, p, s, log, gateway, authenticator, box, seen)
}

func newLog(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		least = slog.LevelInfo // settings takes only levels that slog knows
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least}))
}

func newAuthenticator(s settings.Settings, log *slog.Logger) (*auth.Authenticator, error) {
	return auth.New(auth.Config{
		Mode: auth.Mode(s.AuthMode), Issuers: s.AuthIssuers, Audiences: s.AuthAudiences,
		Algorithms: s.AuthAlgorithms, Leeway: s.AuthLeeway, Log: log,
	})
}

func newClient(s settings.Settings) (*upstream.Client, error) { return upstream.New(clientConfig(s)) }

func clientConfig(s settings.Settings) upstream.Config {
	return upstream.Config{
		CoreURL: s.CoreURL, DispatcherURL: s.DispatcherURL,
		PageParam: s.PagingPageParam, PerPageParam: s.PagingPerPageParam,
		Timeout: s.UpstreamTimeout, ConnectTimeout: s.UpstreamConnectTimeout, Compression: s.UpstreamCompression,
		Concurrency: s.UpstreamConcurrency, Retries: s.UpstreamRetries,
		Breaker: upstream.BreakerConfig{Percent: s.UpstreamBreakerPercent}, Coalesce: s.UpstreamCoalescing,
	}
}

func newGateway(
	s settings.Settings, client *upstream.Client, authenticator *auth.Authenticator, box *sandbox.Sandbox,
	seen watch, log *slog.Logger,
) (*pipeline.Gateway, error) {
	config := pipeline.Config{
		Client: client, Authenticator: authenticator,
		Introspection: s.Introspection, Trace: s.Trace == traceOn, Log: log, Observer: seen.observer(), Calls: seen.calls(),
		Limits: s.Limits, MaxBody: s.MaxBody, Persisted: s.Persisted, Origins: s.Origins,
		OperationTimeout: s.OperationTimeout, MaxOperations: s.Operations,
		MaxMemory: s.Memory, Bytes: s.Bytes, LogOneIn: s.LogOneIn, WithoutFastPath: !s.FastPath,
	}
	if s.LinksMetadataPointer != "" {
		pointer, err := upstream.ParsePointer(s.LinksMetadataPointer)
		if err != nil {
			return nil, fmt.Errorf("links_metadata_pointer: %w", err)
		}
		config.MetadataPointer = pointer
	}
	if s.Console {
		page, err := console.New(consoleConfig(s, box))
		if err != nil {
			return nil, err
		}
		config.Console = page
	}
	return pipeline.New(config)
}

// traceOn is what the setting of that name says where it is on.
const traceOn = "on"

// consoleConfig is what the settings say of the console; what it shows first are records of the sandbox, where there is one.
func consoleConfig(s settings.Settings, box *sandbox.Sandbox) console.Config {
	config := console.Config{Trace: s.Trace == traceOn, Schema: s.Introspection}
	if s.ConsoleClientID != "" {
		issuer := s.ConsoleIssuer
		if issuer == "" {
			issuer = s.AuthIssuers[0] // Check leaves no client without an issuer
		}
		config.SignIn = &console.SignIn{
			Issuer: issuer, ClientID: s.ConsoleClientID, Scopes: s.ConsoleScopes, Origins: s.ConsoleOrigins,
		}
	}
	var samples operations.Samples
	if box != nil {
		samples = operations.Samples(box.Samples())
	}
	config.Operations = operations.All(samples)
	return config
}

// The bounds of the HTTP server. A client that is slower than this is cut off.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second // a body of 1 MiB at 70 KiB/s
	idleTimeout       = 2 * time.Minute  // longer than proxies keep theirs, so that they close first
	maxHeader         = 64 << 10         // a token has 16 KiB at most, a document in a URL 32 KiB before it is escaped

	// writeTimeout begins when the header was read: it covers the body, the longest operation, and a big answer over a slow
	// line. Were it shorter than an operation, its answer would be cut off instead of telling what failed.
	writeTimeout = readTimeout + settings.MaxOperationTimeout + 10*time.Second
)

// serve serves the gateway and the admin address until ctx ends, then drains: readiness turns off, after shutdown_delay no
// more is taken, running operations may finish, and what is not done by then is cut off.
func serve(
	ctx context.Context, p process, s settings.Settings, log *slog.Logger,
	gateway http.Handler, authenticator *auth.Authenticator, box *sandbox.Sandbox, seen watch,
) error {
	var listener net.ListenConfig
	public, err := listener.Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer public.Close()
	public = netutil.LimitListener(public, s.Connections)
	admin, err := listener.Listen(ctx, "tcp", s.AdminListen)
	if err != nil {
		return fmt.Errorf("admin_listen: %w", err)
	}
	defer admin.Close()

	var draining atomic.Bool
	publicServer := newServer(seen.around(partWays(gateway, &draining)), log)
	adminServer := newServer(adminMux(health(authenticator.Ready, &draining), seen.metrics.Handler(), s.Profiling), log)
	var serving sync.WaitGroup
	ended := make(chan error, 2)
	serving.Go(func() { ended <- publicServer.Serve(public) })
	serving.Go(func() { ended <- adminServer.Serve(admin) })

	at := addresses{public.Addr().String(), admin.Addr().String()}
	log.Info("serving", "address", at.public, "admin", at.admin, "sandbox", box != nil, "settings", s)
	if box != nil {
		greet(p.stdout, "http://"+at.public, box.Token())
	}
	p.started(at)

	select {
	case err = <-ended:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	draining.Store(true)
	log.Info("draining", "delay", s.ShutdownDelay.String(), "timeout", s.ShutdownTimeout.String())
	if err == nil && s.ShutdownDelay > 0 {
		select {
		case err = <-ended:
			err = fmt.Errorf("serve: %w", err)
		case <-p.after(s.ShutdownDelay):
		}
	}
	err = errors.Join(err, drain(ctx, publicServer, s.ShutdownTimeout))
	_ = adminServer.Close() // it answered until now: that the gateway is not ready
	serving.Wait()
	if err != nil {
		return err
	}
	log.Info("stopped")
	return nil
}

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: stdlog.New(serverErrors{log}, "", 0),
	}
}

// serverErrors logs what net/http says of a server by its class alone: the text has addresses of clients, and whatever the
// code that panicked had at hand.
type serverErrors struct{ log *slog.Logger }

func (e serverErrors) Write(text []byte) (int, error) {
	class := "response" // written wrongly by a handler: the rest of what net/http says
	switch {
	case bytes.HasPrefix(text, []byte("http: panic serving")):
		class = "panic"
	case bytes.HasPrefix(text, []byte("http: Accept error")): // of the process, such as too many open files
		class = "accept"
	}
	e.log.Error("http server error", "class", class)
	return len(text), nil
}
