// Package gateway is the process of Pixgraph: its commands, its settings, the addresses that it serves, its network,
// and how it starts and stops. What happens to a request is in package serve.
//
// Read Run in commands.go first, then runGateway, which serves, and serve.New.
package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pixgraph/auth"
	"pixgraph/fleet"
	"pixgraph/gateway/settings"
	"pixgraph/gateway/telemetry"
	"pixgraph/internal/certs"
	"pixgraph/internal/httpserver"
	"pixgraph/internal/quota"
	"pixgraph/sandbox"
	"pixgraph/serve"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// runGateway serves a gateway until ctx ends, then lets running operations finish. Its error is an invalidSettings if
// the gateway cannot start with the settings.
func runGateway(ctx context.Context, p Process) error {
	s, err := settings.Load(p.Args, p.Environ)
	if err != nil {
		return invalidSettings{err}
	}
	s.Fit(p.Memory, p.OpenFiles)
	g := &instance{process: p, settings: s, log: newLog(p.Stderr, s.LogLevel), ended: make(chan error, 2)}
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
	clients       *clients         // connections of public
	certificates  *certs.Files     // of the public address
	box           *sandbox.Sandbox // nil for real services
	network       network
	fleet         *fleet.Fleet // nil without Redis
	authenticator *auth.Authenticator
	metrics       *telemetry.Metrics
	apis          *client.Client
	gateway       *serve.Gateway

	publicServer, adminServer *http.Server
	serving                   sync.WaitGroup // the servers
	ended                     chan error     // receives why a server ended
	draining                  atomic.Bool
}

// open opens what the settings name. What it has opened until an error is closed by close.
func (g *instance) open(ctx context.Context) error {
	if err := g.openAddresses(ctx); err != nil { // in use, or not of this machine
		return err
	}
	for _, step := range []func(context.Context) error{
		g.openCertificates, g.openSandbox, g.openNetwork, g.openAuthenticator, g.openTelemetry, g.openAPIs, g.openFleet, g.openGateway,
	} {
		if err := step(ctx); err != nil {
			return invalidSettings{err}
		}
	}
	return nil
}

// opened keeps how to close what a step has opened, and returns the error of the step.
func (g *instance) opened(err error, closer func()) error {
	if err == nil {
		g.closers = append(g.closers, closer)
	}
	return err
}

// close closes what is open, the last first.
func (g *instance) close() {
	for _, closer := range slices.Backward(g.closers) {
		closer()
	}
}

func (g *instance) openAddresses(ctx context.Context) (err error) {
	if g.public, g.admin, err = g.process.listen(ctx, g.settings); err == nil {
		g.clients = boundClients(g.public, g.settings)
	}
	return g.opened(err, func() { _ = g.public.Close(); _ = g.admin.Close() })
}

func (g *instance) openCertificates(context.Context) (err error) {
	files := g.settings.TLS
	files.Log = g.log
	g.certificates, err = certs.Open(files)
	return g.opened(err, func() { g.certificates.Close() })
}

func (g *instance) openSandbox(context.Context) (err error) {
	if !g.settings.Sandbox() {
		return nil
	}
	config := g.process.sandbox()
	config.Servers, config.Now = loopbackURLs(g.public.Addr(), scheme(g.settings)), time.Now
	config.KeyFile = keyFile(g.process.CacheDir, g.log)
	if g.settings.Assistants && len(config.Servers) > 0 {
		fill(&g.settings.PublicURL, config.Servers[0])
	}
	g.box, g.settings, err = startSandbox(g.settings, config, g.log)
	return g.opened(err, func() { _ = g.box.Close() })
}

func (g *instance) openNetwork(context.Context) (err error) {
	g.network, err = openNetwork(g.settings, g.process.Sockets, g.log)
	return g.opened(err, func() { g.network.close() })
}

func (g *instance) openAuthenticator(ctx context.Context) (err error) {
	if g.authenticator, err = g.network.newAuthenticator(g.settings, g.box, g.log); err == nil {
		g.authenticator.Start(context.WithoutCancel(ctx)) // until Close: requests during draining are verified too
	}
	return g.opened(err, func() { g.authenticator.Close() })
}

func (g *instance) openAPIs(context.Context) (err error) {
	g.apis, err = g.network.newClient(g.settings)
	return g.opened(err, func() { g.apis.Close() })
}

func (g *instance) openFleet(context.Context) (err error) {
	g.fleet, err = g.network.newFleet(g.settings, g.log)
	return g.opened(err, func() {
		if g.fleet != nil {
			g.fleet.Close()
		}
	})
}

func (g *instance) openGateway(context.Context) (err error) {
	s := g.settings
	config := serve.Config{
		Client: g.apis, Authenticator: g.authenticator, PublicURL: s.PublicURL, Issuers: s.Verified().Issuers, BoundTokens: s.ChecksCertificates(),
		Verified:   func(r *http.Request) func() bool { return httpserver.Verified(r, g.certificates) },
		Assistants: s.Assistants, PersonalData: s.AssistantsPersonalData,
		Introspection: s.Introspection, Trace: s.Trace == traceOn, Log: g.log, Observer: g.metrics, Calls: g.metrics.Calls(),
		Limits: s.Limits, Persisted: s.Persisted, CORS: s.CORS,
		OperationTimeout: s.OperationTimeout, MaxOperations: s.Operations,
		MaxMemory: s.Memory, Bytes: quota.Limits{Read: maxRead, Answer: maxAnswer}, LogOneIn: logOneIn(s.LogLevel),
		Live: s.Streams, WithoutLive: !s.Live, Federation: s.Federation,
		NudgeSecret: string(s.LiveNudgeSecret), Fleet: g.fleet,
	}
	if s.LinksMetadataPointer != "" {
		pointer, err := upstream.ParsePointer(s.LinksMetadataPointer)
		if err != nil {
			return fmt.Errorf("links_metadata_pointer: %w", err)
		}
		config.MetadataPointer = pointer
	}
	if s.Console {
		page, err := newConsole(s, g.box, g.authenticator)
		if err != nil {
			return err
		}
		config.Console = page
	}
	if g.box != nil {
		config.Sandbox = g.box.Handler()
		// Clients of the sandbox may use each name of the machine, and compare the resource with the URL that they use.
		if urls := loopbackURLs(g.public.Addr(), scheme(s)); slices.Contains(urls, strings.TrimSuffix(s.PublicURL, "/")) {
			config.PublicAliases = urls
		}
	}
	if g.gateway, err = serve.New(config); err != nil {
		return err
	}
	sources := telemetry.Sources{
		Upstream: g.apis.Stats, Auth: g.authenticator.Stats, Gateway: g.gateway.Stats, Connections: g.clients.stats,
		Certificates: func() map[string]time.Time {
			expiries := map[string]time.Time{}
			g.certificates.Expiries(expiries)
			g.network.expiries(expiries)
			return expiries
		},
	}
	if g.fleet != nil {
		sources.Fleet = g.fleet.Stats
	}
	g.metrics.Read(sources)
	return g.opened(nil, g.gateway.Close)
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

// logOneIn returns how many operations without errors one line is for. A line takes 7 microseconds,
// a seventh of what the smallest operation takes.
func logOneIn(level string) int {
	if level == settings.LogDebug {
		return 1
	}
	return 100
}

// traceOn is the value that turns the setting trace on.
const traceOn = "on"
