// Package gatewaytest starts a whole gateway in the process of a test: package serve over a sandbox, with HTTP on
// both sides and tokens that are verified. It has the client that tests send operations with. It does not start the
// binary: internal/process does.
//
// All connections are in memory, and a gateway runs within a bubble of testing/synctest, which owns its clock. Only
// benchmarks and fuzz targets have real time.
//
// It is for tests only. Read first: Start.
package gatewaytest

import (
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/egress"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
	"pixgraph/serve"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Timeout bounds what must happen in a test. It is far more than a busy machine needs, and no result depends on it.
const Timeout = 2 * time.Minute

// Options are the settings of the parts of a gateway. A test may change them before the gateway starts.
type Options struct {
	Sandbox  sandbox.Config
	Auth     auth.Config
	Upstream client.Config
	Serve    serve.Config

	// Network has the connections to the gateway and to the APIs; nil for a new one in memory.
	Network *memnet.Network
	// Box is a sandbox that runs already; nil for a new one. If Upstream has URLs, the gateway calls these instead of a
	// sandbox.
	Box *sandbox.Sandbox
}

// Gateway is a running gateway.
type Gateway struct {
	Client
	Box      *sandbox.Sandbox // nil if the test named other APIs
	Network  *memnet.Network
	Handler  *serve.Gateway
	Upstream *client.Client
	Log      *Log
}

// Start starts a gateway with the settings that `make run` has, which the changes may replace. It ends with the test.
func Start(t testing.TB, changes ...func(*Options)) *Gateway {
	t.Helper()
	if _, test := t.(*testing.T); test {
		synctest.Wait() // panics outside of a bubble
	}
	o := Options{
		Sandbox: sandbox.Config{Records: 240, MoveEvery: -1},
		Upstream: client.Config{
			PageParam: "page", PerPageParam: "perPage", Timeout: Timeout,
			Retries: 1, Breaker: client.BreakerConfig{Percent: client.DefaultBreakerPercent}, Coalesce: true,
		},
		Serve: serve.Config{Introspection: true, MetadataPointer: upstream.Pointer{"notificationIds"}},
	}
	for _, change := range changes {
		change(&o)
	}
	if o.Network == nil {
		o.Network = &memnet.Network{}
	}
	g := &Gateway{Client: Client{T: t, HTTP: o.Network.Client(t)}, Network: o.Network, Box: o.Box, Log: &Log{}}
	access, err := egress.Open(egress.Config{Dialer: o.Network})
	must(t, err)
	t.Cleanup(access.Close)
	if o.Upstream.CoreURL == "" {
		g.overSandbox(&o)
	}
	if o.Serve.Log == nil {
		o.Serve.Log = slog.New(slog.NewJSONHandler(g.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	o.Auth.Log, o.Auth.Transport = o.Serve.Log, access
	o.Serve.Authenticator, err = auth.New(o.Auth)
	must(t, err)
	t.Cleanup(o.Serve.Authenticator.Close)
	o.Upstream.Core, o.Upstream.Dispatcher = access, access
	g.Upstream, err = client.New(o.Upstream)
	must(t, err)
	t.Cleanup(g.Upstream.Close)
	o.Serve.Client = g.Upstream
	g.Handler, err = serve.New(o.Serve)
	must(t, err)
	t.Cleanup(g.Handler.Close)
	g.URL = g.Network.Serve(t, g.Handler)
	return g
}

// overSandbox sets the options for a gateway over the sandbox, which it starts if the test has not.
func (g *Gateway) overSandbox(o *Options) {
	if g.Box == nil {
		o.Sandbox.Listen, o.Sandbox.Dial = g.Network.Listen, g.Network.DialContext
		g.Box = StartSandbox(g.T, o.Sandbox)
	}
	g.Token = g.Box.Token()
	o.Upstream.CoreURL, o.Upstream.DispatcherURL = g.Box.CoreURL(), g.Box.DispatcherURL()
	if o.Auth.Mode != auth.ModeForward {
		o.Auth.Issuers, o.Auth.Audiences = []string{g.Box.IssuerURL()}, []string{g.Box.Audience()}
	}
}

// Dial connects to the gateway until the end of the test.
func (g *Gateway) Dial() net.Conn {
	g.T.Helper()
	conn, err := g.Network.DialContext(g.T.Context(), "tcp", strings.TrimPrefix(g.URL, "http://"))
	must(g.T, err)
	g.T.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Within returns the gateway for a subtest.
func (g *Gateway) Within(t testing.TB) *Gateway {
	part := *g
	part.T = t
	return &part
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
