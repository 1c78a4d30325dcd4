// Package gateway is the process of Pixgraph: its commands, its settings, the addresses that it serves, its network, and how it
// starts and stops. What happens to a request is in package pipeline.
//
// Read Run first, then serve, then pipeline.New.
package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
	"pixgraph/gateway/telemetry"
	"pixgraph/graph/pipeline"
	"pixgraph/internal/certs"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// serve serves a gateway until ctx ends, then lets running operations finish.
func serve(ctx context.Context, p Process) error {
	s, err := settings.Load(p.args, p.environ)
	if err != nil {
		return err
	}
	s.Fit(p.memory)
	g := &instance{process: p, settings: s, log: newLog(p.stderr, s.LogLevel), ended: make(chan error, 2)}
	defer g.close()
	if err := g.open(ctx); err != nil {
		return err
	}
	g.serve()
	g.announce(ctx)
	return g.drain(ctx, await(ctx.Done(), g.ended))
}

// instance is a gateway that a process serves, with everything that it has opened.
type instance struct {
	process  Process
	settings settings.Settings // with those that the sandbox fills in
	log      *slog.Logger
	closers  []func() // of what is open, in the order in which it was opened

	public, admin net.Listener
	certificates  *certs.Files     // of the public address
	box           *sandbox.Sandbox // nil for real services
	network       network
	authenticator *auth.Authenticator
	instr         instrumentation
	apis          *client.Client
	gateway       *pipeline.Gateway

	publicServer, adminServer *http.Server
	serving                   sync.WaitGroup // the servers
	ended                     chan error     // receives why a server ended
	draining                  atomic.Bool
}

// open opens what the settings name. What it has opened until an error is closed by close.
func (g *instance) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		g.openAddresses, g.openCertificates, g.openSandbox, g.openNetwork, g.openAuthenticator, g.openTelemetry, g.openAPIs, g.openPipeline,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close closes what is open, the last first.
func (g *instance) close() {
	for _, closer := range slices.Backward(g.closers) {
		closer()
	}
}

func (g *instance) openAddresses(ctx context.Context) (err error) {
	if g.public, g.admin, err = listen(ctx, g.settings); err == nil {
		g.closers = append(g.closers, func() { _ = g.public.Close() }, func() { _ = g.admin.Close() })
	}
	return err
}

func (g *instance) openCertificates(context.Context) (err error) {
	files := g.settings.TLS
	files.Log, files.Ticks = g.log, g.process.certTicks
	if g.certificates, err = certs.Open(files); err == nil {
		g.closers = append(g.closers, g.certificates.Close)
	}
	return err
}

func (g *instance) openSandbox(context.Context) (err error) {
	if !g.settings.Sandbox() {
		return nil
	}
	config := sandbox.Config{
		Servers: loopbackURLs(g.public.Addr(), scheme(g.settings)), KeyFile: keyFile(g.process.cacheDir, g.log), Now: time.Now,
	}
	if g.box, g.settings, err = startSandbox(g.settings, config, g.log); err == nil {
		g.closers = append(g.closers, func() { _ = g.box.Close() })
	}
	return err
}

func (g *instance) openNetwork(context.Context) (err error) {
	if g.network, err = openNetwork(g.settings, g.log); err == nil {
		g.closers = append(g.closers, g.network.close)
	}
	g.network.calls = g.process.calls
	return err
}

func (g *instance) openAuthenticator(ctx context.Context) (err error) {
	if g.authenticator, err = g.network.newAuthenticator(g.settings, g.box, g.log); err == nil {
		g.closers = append(g.closers, g.authenticator.Close)
		g.authenticator.Start(context.WithoutCancel(ctx)) // until Close: requests during draining are verified too
	}
	return err
}

func (g *instance) openTelemetry(ctx context.Context) (err error) {
	if g.settings.Profiling {
		sampleHeap(true)
	}
	if g.instr, err = newInstrumentation(ctx, g.process); err == nil {
		g.closers = append(g.closers, func() { g.instr.close(g.log) })
	}
	return err
}

func (g *instance) openAPIs(context.Context) (err error) {
	if g.apis, err = g.network.newClient(g.settings); err == nil {
		g.closers = append(g.closers, g.apis.Close)
	}
	return err
}

func (g *instance) openPipeline(context.Context) error {
	s := g.settings
	config := pipeline.Config{
		Client: g.apis, Authenticator: g.authenticator,
		Introspection: s.Introspection, Trace: s.Trace == traceOn, Log: g.log, Observer: g.instr.observer(), Calls: g.instr.calls(),
		Limits: s.Limits, Persisted: s.Persisted, CORS: s.CORS,
		OperationTimeout: s.OperationTimeout, MaxOperations: s.Operations,
		MaxMemory: s.Memory, Bytes: quota.Limits{Read: maxRead, Answer: maxAnswer}, LogOneIn: s.LogOneIn, WithoutFastPath: !s.FastPath,
		Live: s.Streams, WithoutLive: !s.Live,
		NudgeSecret: string(s.LiveNudgeSecret),
	}
	if s.LinksMetadataPointer != "" {
		pointer, err := upstream.ParsePointer(s.LinksMetadataPointer)
		if err != nil {
			return fmt.Errorf("links_metadata_pointer: %w", err)
		}
		config.MetadataPointer = pointer
	}
	if s.Console {
		page, err := newConsole(s, g.box)
		if err != nil {
			return err
		}
		config.Console = page
	}
	if g.box != nil {
		config.Sandbox = g.box.Handler()
	}
	gateway, err := pipeline.New(config)
	if err != nil {
		return err
	}
	g.gateway = gateway
	g.closers = append(g.closers, gateway.Close)
	g.instr.metrics.Read(telemetry.Sources{
		Upstream: g.apis.Stats, Auth: g.authenticator.Stats, Gateway: gateway.Stats,
		Certificates: func() map[string]time.Time {
			expiries := map[string]time.Time{}
			g.certificates.Expiries(expiries)
			g.network.expiries(expiries)
			return expiries
		},
	})
	return nil
}

// scheme is that of the URLs of the public address.
func scheme(s settings.Settings) string {
	if s.TLS.Cert.Path != "" {
		return "https"
	}
	return "http"
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
