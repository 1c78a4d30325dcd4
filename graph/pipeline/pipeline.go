// Package pipeline serves GraphQL: it has every step of a request, in order, from HTTP to the resolvers of package
// graph and back. All operations pass the same first steps, here by the names of graphql-yoga's hooks, and where they
// are:
//
//	onRequest        http.go, identify.go, websocket.go, authenticate.go, discovery.go, deadline.go; package cors
//	onRequestParse   package transport; assistants.go and package mcp; admission.go
//	onParams         package persisted
//	onParse          documents.go: packages documents and limits
//	onValidate       documents.go, validation.go, suggestions.go; package variables
//
// Then Runner.Run calls the Protocol of the transport (transport/protocol.go, websocket/operation.go). Begin leads to
// Gateway.subscribe; Respond to gqlgen's DispatchOperation and Gateway.begin or, for a download, to Gateway.download:
//
//	a query          Gateway.begin in operation.go: one execution; log.go and observe.go report it
//	  that waits     Gateway.await in await.go, before the execution: a stream without events for each field that waits
//	  that defers    Gateway.deferred and sendParts in defer.go, with packages deferral and incremental: one execution
//	                 for the initial response, and one for each part; all of them share the session and the loaders
//	a subscription   Gateway.subscribe in live.go: streammemory.go, livesink.go and package live, which calls
//	                 Gateway.answer for each event: one execution each. nudge.go makes streams read earlier
//	a download       Gateway.download in download.go; downloadpage.go: one execution for each page; downloadsummary.go
//
// The steps of an execution, which is a graph.Execution:
//
//	onExecute        bounds.go, sorterrors.go, trace.go, operation.go; package projection
//	onResultProcess  the same in the opposite order; errors.go formats errors, package transport writes the response
//
// Read New first and then execution, which list the steps.
package pipeline

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/graph/guard/variables"
	"pixgraph/graph/mcp"
	"pixgraph/graph/transport"
	"pixgraph/graph/transport/cors"
	"pixgraph/graph/transport/run"
	"pixgraph/graph/transport/websocket"
	"pixgraph/internal/distinct"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/upstream/live"
)

// Gateway serves /graphql and /mcp with their metadata, /schema.graphql, the console at /, webhooks below /nudge/ and
// the routes of a sandbox. It must be closed.
type Gateway struct {
	http.Handler
	config     Config
	lookups    *graph.Lookups
	persisted  *persisted.Documents
	parsed     *documents.Cache
	projector  *projection.Projector
	planner    *deferral.Planner
	deprecates bool // whether the schema has deprecated fields
	executable *projected
	executor   *executor.Executor // of events and pages
	present    presenter
	counts     *counters
	operations *quota.Pool // their slots
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
		return nil, errors.New("pipeline: Config needs Client, Authenticator and Log")
	}
	if config.MaxErrors == 0 {
		config.MaxErrors = run.DefaultMaxErrors
	}
	features := graph.Features{Live: !config.WithoutLive, Defer: !config.WithoutDefer, Federation: config.Federation}
	schema, err := graph.NewSchema(config.MetadataPointer, features)
	if err != nil {
		return nil, err
	}
	gateway := &Gateway{
		config: config, lookups: graph.NewLookups(),
		parsed: documents.New(0), counts: newCounters(schema.Schema()),
		operations: quota.NewPool(int64(config.MaxOperations), 1), memory: quota.NewMemory(config.MaxMemory),
		turns: quota.NewTurns(turnsPerProcessor * runtime.GOMAXPROCS(0)), longTurns: quota.NewTurns(longTurns()),
		schema: schema, log: newOperationLog(config), refused: newLineLimit(refusedLines, refusedAddresses), addresses: distinct.New(),
	}
	gateway.ending, gateway.endDownloads = context.WithCancel(context.Background())
	gateway.present = presenter{config.Log, gateway.counts, config.MaxErrors}
	config.CORS.Log = config.Log
	crossOrigin, err := cors.New(config.CORS)
	if err != nil {
		return nil, err
	}
	if gateway.limited, err = limits.New(gateway.limitsOf()); err != nil {
		return nil, err
	}
	runner, err := run.New(gateway.runOf())
	if err != nil {
		return nil, err
	}
	if gateway.persisted, err = persisted.New(gateway.persistedOf()); err != nil {
		return nil, err
	}
	gateway.live = live.New(gateway.liveOf())
	gateway.lookups.Live = gateway.live
	gateway.streamMemory = newStreamMemory(gateway.live.Limits())
	gateway.deprecates = hasDeprecated(schema.Schema())
	gateway.planner = &deferral.Planner{Calls: schema.Calls, Documents: gateway.parsed, Entities: config.Federation}
	gateway.projector = projection.New(projection.Config{
		Schema: schema.Schema(), Calls: schema.Calls, Made: schema.Made(), Links: schema.Link(gateway.lookups), Resolve: schema.Resolve,
		Executor: schema, Documents: gateway.parsed, Unknown: gateway.counts.unknown, MaxErrors: config.MaxErrors,
	})

	overHTTP := transport.New(runner, transport.Config{CompressFrom: config.Compress, Caller: callerOf, Download: gateway.download})
	gateway.webSockets = websocket.New(runner, gateway.webSocketsOf(crossOrigin))
	if gateway.assistants, err = gateway.newAssistants(runner, crossOrigin); err != nil {
		return nil, err
	}
	operations := gateway.readLimits(gateway.execution(overHTTP))
	mux := http.NewServeMux()
	resources, err := gateway.resources(auth.GraphQLPath, mux)
	if err != nil {
		return nil, err
	}
	endpoint := chain([]step{crossOrigin.Handler, webSocket(operations), gateway.authenticate(resources)}, operations)
	mux.HandleFunc("/", unrouted(mux))
	mux.Handle(auth.GraphQLPath, endpoint)
	mux.Handle(auth.GraphQLPath+"/{$}", endpoint)
	if err := gateway.serveAssistants(mux, operations); err != nil {
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
	gateway.Handler = chain([]step{identify, transport.SecurityHeaders, strictHTTP}, mux)
	return gateway, nil
}

// runOf returns what the transports do with operations.
func (g *Gateway) runOf() run.Config {
	return run.Config{
		MaxBody: g.config.MaxBody, MaxErrors: g.config.MaxErrors, Headers: []string{limits.HeaderCost, HeaderTrace},
		Present: g.present.present, Admit: g.admit, LongTurn: func(ctx context.Context) func() { return g.longTurn(ctx).End }, Account: accountOf, Data: dataOf,
		Subscribe: g.subscribe, // the server of execution executes queries
	}
}

// execution returns the handler of operations, which is gqlgen's server with the steps as its extensions. The server
// resolves the document of an operation, checks it against the limits, parses and validates it, and computes its cost.
// Then it executes a query with the steps of an execution. An event or a page has only these steps, by the executor of
// parts, because its operation has passed the others.
func (g *Gateway) execution(overHTTP graphql.Transport) http.Handler {
	g.executable = &projected{g.schema, g.projector}
	server := handler.New(g.executable)
	if g.assistants != nil {
		server.AddTransport(g.assistants)
	}
	server.AddTransport(g.webSockets)
	server.AddTransport(overHTTP)
	server.SetErrorPresenter(g.present.present)
	server.SetRecoverFunc(g.present.recover)
	server.SetQueryCache(requestDocument{})
	server.Use(g.persisted)
	server.Use(&variables.Checker{})
	server.Use(g.limited)
	if g.config.Introspection {
		server.Use(extension.Introspection{})
	}
	server.AroundFields(boundField)
	server.AroundOperations(g.begin)
	server.AroundResponses(g.log.intercept)
	server.AroundResponses(g.sendParts)

	g.executor = executor.New(g.executable)
	g.executor.SetErrorPresenter(g.present.present)
	g.executor.SetRecoverFunc(g.present.recover)
	g.executor.Use(g.persisted) // registers the document that a subscription or a download was sent with
	steps := []graphql.ResponseMiddleware{g.present.boundResponse, g.present.sortErrors}
	if g.config.Trace {
		steps = append(steps, withTrace)
	}
	for _, step := range append(steps, g.openOperation) {
		server.AroundResponses(step)
		g.executor.AroundResponses(step)
	}
	return server
}

// accountOf returns the account of the call in ctx.
func accountOf(ctx context.Context) *quota.Account { return request.CallOf(ctx).Account }
