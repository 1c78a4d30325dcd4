// Package gatewaytest starts a whole gateway in the process of a test: package pipeline over a sandbox, with HTTP on both
// sides and tokens that are verified. It has the client that tests send operations with. It does not start the binary:
// internal/process does.
//
// It is for tests only. Read first: Start.
package gatewaytest

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/pipeline"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// Timeout bounds what must happen in a test. It is far more than a busy machine needs, and no result depends on it.
const Timeout = 2 * time.Minute

// Options are the settings of the parts of a gateway. A test may change them before the gateway starts.
type Options struct {
	Sandbox  sandbox.Config
	Auth     auth.Config
	Upstream client.Config
	Pipeline pipeline.Config

	// Box is a sandbox that runs already; nil for a new one. If Upstream has URLs, the gateway calls these instead of a sandbox.
	Box *sandbox.Sandbox
}

// Gateway is a running gateway.
type Gateway struct {
	Client
	Box      *sandbox.Sandbox // nil if the test named other APIs
	Handler  *pipeline.Gateway
	Upstream *client.Client
	Log      *Log
}

// Start starts a gateway with the settings that `make run` has, which the changes may replace. It ends with the test.
func Start(t testing.TB, changes ...func(*Options)) *Gateway {
	t.Helper()
	o := Options{
		Sandbox: sandbox.Config{Records: 240, MoveEvery: -1},
		Upstream: client.Config{
			PageParam: "page", PerPageParam: "perPage", Timeout: Timeout,
			Retries: 1, Breaker: client.BreakerConfig{Percent: client.DefaultBreakerPercent}, Coalesce: true,
		},
		Pipeline: pipeline.Config{Introspection: true, MetadataPointer: upstream.Pointer{"notificationIds"}},
	}
	for _, change := range changes {
		change(&o)
	}
	g := &Gateway{Client: Client{T: t}, Box: o.Box, Log: &Log{}}
	if o.Upstream.CoreURL == "" {
		g.overSandbox(&o)
	}
	if o.Pipeline.Log == nil {
		o.Pipeline.Log = slog.New(slog.NewJSONHandler(g.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var err error
	o.Auth.Log = o.Pipeline.Log
	o.Pipeline.Authenticator, err = auth.New(o.Auth)
	must(t, err)
	t.Cleanup(o.Pipeline.Authenticator.Close)
	g.Upstream, err = client.New(o.Upstream)
	must(t, err)
	t.Cleanup(g.Upstream.Close)
	o.Pipeline.Client = g.Upstream
	g.Handler, err = pipeline.New(o.Pipeline)
	must(t, err)
	t.Cleanup(g.Handler.Close)
	server := httptest.NewServer(g.Handler)
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

// overSandbox sets the options for a gateway over the sandbox, which it starts if the test has not.
func (g *Gateway) overSandbox(o *Options) {
	if g.Box == nil {
		g.Box = StartSandbox(g.T, o.Sandbox)
	}
	g.Token = g.Box.Token()
	o.Upstream.CoreURL, o.Upstream.DispatcherURL = g.Box.CoreURL(), g.Box.DispatcherURL()
	if o.Auth.Mode != auth.ModeForward {
		o.Auth.Issuers, o.Auth.Audiences = []string{g.Box.IssuerURL()}, []string{g.Box.Audience()}
	}
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
