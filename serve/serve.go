// Package serve serves GraphQL: it has every step of a request, in order, from HTTP to the resolvers of package
// graph and back. All operations pass the same first steps, here by the names of graphql-yoga's hooks, and where they
// are:
//
//	onRequest        http.go: identify.go, cors, authenticate.go, discovery.go, deadline.go
//	onRequestParse   package transport, websocket.go or assistants.go, which call Runner.Run; admission.go
//	onParams         prepare.go: package persisted, limits
//	onParse          prepare.go: packages documents and limits
//	onValidate       prepare.go: validation.go, suggestions.go, packages variables and limits
//
// Then Runner.Run calls the Protocol of the transport (transport/protocol.go, websocket/operation.go). Begin leads to
// Gateway.Subscribe; Respond to Gateway.Execute or, for a download, to Gateway.download:
//
//	a query          Gateway.Execute in operation.go: one execution; log.go and observe.go report it
//	  that waits     Gateway.await in await.go, before the execution: a stream without events for each field that waits
//	  that defers    Gateway.deferred and sendParts in defer.go, with packages deferral and incremental: one execution
//	                 for the initial response, and one for each part; all of them share the session and the loaders
//	a subscription   Gateway.Subscribe in live.go: streammemory.go, livesink.go and package live, which calls
//	                 Gateway.answer for each event: one execution each. nudge.go makes streams read earlier
//	a download       Gateway.download in download.go; downloadpage.go: one execution for each page; downloadsummary.go
//
// The steps of an execution, which is a graph.Execution, are those of Gateway.run in operation.go:
//
//	onExecute        trace.go, deadline.go; package projection, which lets gqlgen execute introspection
//	onResultProcess  sorterrors.go, errors.go, bounds.go; package transport writes the response
//
// Read ServeHTTP and serve in http.go first, then Prepare, Execute and run, which list the steps.
package serve

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/distinct"
	"pixgraph/internal/quota"
	"pixgraph/serve/cors"
	"pixgraph/serve/mcp"
	"pixgraph/serve/run"
	"pixgraph/serve/transport"
	"pixgraph/serve/websocket"
	"pixgraph/upstream/live"
)

// Gateway serves /graphql and /mcp with their metadata, /schema.graphql, the console at /, webhooks below /nudge/ and
// the routes of a sandbox. It must be closed.
type Gateway struct {
	operations endpoint
	tools      endpoint       // of assistants
	mux        *http.ServeMux // of all other paths
	config     Config
	persisted  *persisted.Documents
	parsed     *documents.Cache
	projector  *projection.Projector
	planner    *deferral.Planner
	deprecates bool // whether the schema has deprecated fields
	present    presenter
	presented  graphql.ErrorPresenterFunc // of present
	recovered  graphql.RecoverFunc        // of present
	counts     *counters
	slots      *quota.Queue // of operations
	turns      *quota.Turns
	longTurns  *quota.Turns
	memory     quota.Memory
	schema     *graph.Schema
	limited    *limits.Limits
	log        *operationLog
	refused    *lineLimit        // lines of requests without a valid token
	addresses  *distinct.Callers // addresses of clients, whose tokens are accepted and invalid
	live       *live.Engine

	streams      [len(protocols)]atomic.Int64 // in the order of protocols
	streamMemory *streamMemory
	webSockets   *websocket.Transport
	assistants   *mcp.Transport // nil if they are not served
	connected    *quota.Pool    // WebSockets of each caller
	unaccepted   unaccepted

	ending       context.Context // of downloads
	endDownloads context.CancelFunc
}

// Close ends all downloads and streams, and stops the background work of the gateway: it no longer reads changed
// manifests.
func (g *Gateway) Close() {
	g.EndDownloads()
	g.EndStreams()
	g.persisted.Close()
}

// New builds a gateway. Its errors name the invalid setting.
func New(config Config) (*Gateway, error) {
	if config.Client == nil || config.Authenticator == nil || config.Log == nil {
		return nil, errors.New("serve: Config needs Client, Authenticator and Log")
	}
	config.MaxErrors = cmp.Or(config.MaxErrors, run.DefaultMaxErrors)
	features := graph.Features{Live: !config.WithoutLive, Federation: config.Federation}
	schema, err := graph.NewSchema(config.MetadataPointer, features)
	if err != nil {
		return nil, err
	}
	gateway := &Gateway{
		config: config, parsed: documents.New(0), counts: newCounters(schema.Schema()),
		slots: quota.NewQueue(config.MaxOperations, 0), memory: quota.NewMemory(config.MaxMemory),
		turns: quota.NewTurns(turnsPerProcessor*runtime.GOMAXPROCS(0), quota.DefaultPiece), longTurns: quota.NewTurns(longTurns(), quota.DefaultPiece),
		schema: schema, log: newOperationLog(config), refused: newLineLimit(refusedLines, refusedAddresses), addresses: distinct.New(),
	}
	gateway.ending, gateway.endDownloads = context.WithCancel(context.Background())
	gateway.present = presenter{config.Log, gateway.counts, config.MaxErrors}
	gateway.presented, gateway.recovered = gateway.present.present, gateway.present.recover
	config.CORS.Log = config.Log
	crossOrigin, err := cors.New(config.CORS)
	if err != nil {
		return nil, err
	}
	if gateway.limited, err = limits.New(gateway.limitsOf(), schema.Schema()); err != nil {
		return nil, err
	}
	runner, err := run.New(gateway, run.Config{MaxBody: config.MaxBody, MaxErrors: config.MaxErrors})
	if err != nil {
		return nil, err
	}
	if gateway.persisted, err = persisted.New(gateway.persistedOf()); err != nil {
		return nil, err
	}
	gateway.live = live.New(gateway.liveOf())
	schema.Lookups.Live = gateway.live
	gateway.streamMemory = newStreamMemory(gateway.live.Limits())
	gateway.deprecates = hasDeprecated(schema.Schema())
	gateway.planner = &deferral.Planner{Calls: schema.Calls, Documents: gateway.parsed, Entities: config.Federation}
	gateway.projector = projection.New(projection.Config{
		Schema: schema.Schema(), Calls: schema.Calls, Made: schema.Made(), Links: schema.Link, Resolve: schema.Resolve,
		Executor: schema, Documents: gateway.parsed, Unknown: gateway.counts.unknown, MaxErrors: config.MaxErrors,
	})

	overHTTP := transport.New(runner, gateway.download)
	gateway.webSockets = websocket.New(runner, gateway.webSocketsOf(crossOrigin))
	if gateway.assistants, err = gateway.newAssistants(runner, crossOrigin); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	resources, err := gateway.resources(auth.GraphQLPath, mux)
	if err != nil {
		return nil, err
	}
	gateway.operations = endpoint{crossOrigin, resources, true, overHTTP.Serve}
	mux.HandleFunc("/", unrouted(mux))
	if err := gateway.serveAssistants(mux); err != nil {
		return nil, err
	}
	if config.Introspection {
		mux.Handle("GET /schema.graphql", sdl(schema.Text()))
	}
	if config.NudgeSecret != "" {
		mux.Handle("/nudge/{secret}", newNudges(config.NudgeSecret, gateway.live))
	}
	if config.Console != nil {
		for _, pattern := range []string{"GET /{$}", "GET /payments", "GET /signed-in", "GET /assets/"} {
			mux.Handle(pattern, config.Console)
		}
	}
	if config.Sandbox != nil {
		mux.Handle("/sandbox", config.Sandbox)
		mux.Handle("/sandbox/", config.Sandbox)
		mux.Handle("/.well-known/oauth-authorization-server/sandbox/", config.Sandbox) // its issuer (RFC 8414)
	}
	gateway.startFleet()
	gateway.mux = mux
	return gateway, nil
}
