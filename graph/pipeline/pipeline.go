// Package pipeline serves GraphQL: every step of a request, in its order, from HTTP to the resolvers of package graph and
// back. Read first: New and then execution, which list the steps.
package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/documents"
	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
	"pixgraph/graph/projection"
	"pixgraph/graph/transport"
	"pixgraph/graph/variables"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// Config says what the gateway serves. Client, Authenticator and Log are needed; the rest is good when it is zero.
type Config struct {
	Client        *upstream.Client
	Authenticator *auth.Authenticator
	Log           *slog.Logger

	Introspection bool // whether the schema can be read, through __schema and /schema.graphql
	// Console is the page to serve at / with what belongs to it, a *console.Console; nil for none.
	Console http.Handler
	// MetadataPointer is the place of notification ids in a transaction's metadata; nil when there is none.
	MetadataPointer upstream.Pointer

	// Trace lets clients ask for the calls that their operation led to; see HeaderTrace.
	Trace bool
	// Observer is notified of every operation; nil for none.
	Observer Observer
	// Calls is notified of the calls of every operation; nil for none.
	Calls upstream.Observer
	// LogOneIn is of how many operations without an error one is logged; 0 for all. Those with errors always are.
	LogOneIn int
	// WithoutFastPath has gqlgen write every answer, field by field.
	WithoutFastPath  bool
	OperationTimeout time.Duration // for one operation; 0 for none but those of its calls. A client may lower it: HeaderTimeout
	MaxOperations    int           // operations served at a time; 0 for no bound
	MaxMemory        int64         // bytes that all requests hold together; 0 for no bound
	Bytes            quota.Limits  // bytes that one operation reads and answers

	Limits    limits.Config
	MaxBody   int64 // bytes of a request's body
	MaxErrors int   // errors of an answer; 0 for the transport's default
	Compress  int   // bytes of an answer from which it is compressed; 0 for the default, negative for never
	Persisted persisted.Config
	Origins   []string // the origins whose pages may use the gateway from a browser
}

// Gateway serves /graphql, the console at /, and /schema.graphql. It must be closed.
type Gateway struct {
	http.Handler
	config    Config
	lookups   *graph.Lookups
	persisted *persisted.Documents
	parsed    *documents.Cache
	projector *projection.Projector // nil where the fast path is off
	counts    *counters
	admission admission
	memory    quota.Memory
}

// Close ends what the gateway does in the background.
func (g *Gateway) Close() { g.persisted.Close() }

// New builds a gateway. Its errors name the setting that is wrong.
func New(config Config) (*Gateway, error) {
	if config.Client == nil || config.Authenticator == nil || config.Log == nil {
		return nil, errors.New("graph: Config needs Client, Authenticator and Log")
	}
	if config.MaxErrors == 0 {
		config.MaxErrors = transport.DefaultMaxErrors
	}
	schema := graph.NewSchema(config.MetadataPointer)
	gateway := &Gateway{
		config: config, lookups: graph.NewLookups(),
		parsed: documents.New(0), counts: newCounters(schema.Schema()),
		admission: newAdmission(config.MaxOperations), memory: quota.NewMemory(config.MaxMemory),
	}
	errors := presenter{config.Log, gateway.counts, config.MaxErrors}
	guard, err := transport.NewGuard(transport.GuardConfig{Origins: config.Origins, Present: errors.present})
	if err != nil {
		return nil, err
	}
	limited, err := limits.New(limitsOf(config, gateway.parsed))
	if err != nil {
		return nil, err
	}
	overHTTP, err := transport.New(transport.Config{
		MaxBody: config.MaxBody, MaxErrors: config.MaxErrors, CompressFrom: config.Compress, Headers: []string{limits.HeaderCost, HeaderTrace},
		Present: errors.present, Admit: gateway.admission.admit, Account: accountOf,
	})
	if err != nil {
		return nil, err
	}
	text, err := graph.SchemaText()
	if err != nil {
		return nil, err
	}
	if gateway.persisted, err = persisted.New(persistedOf(config, schema.Schema())); err != nil {
		return nil, err
	}
	if !config.WithoutFastPath {
		gateway.projector = projection.New(projection.Config{
			Schema: schema.Schema(), Documents: gateway.parsed, Links: graph.Links(), Unknown: gateway.counts.unknown, MaxErrors: config.MaxErrors,
		})
	}

	// The steps of a request to the executor, the last one first.
	endpoint := gateway.execution(schema, overHTTP, limited, errors)
	endpoint = locate(limited, endpoint)
	endpoint = readTimeout(endpoint)
	endpoint = gateway.authenticate(endpoint)
	endpoint = guard.Protect(endpoint)

	mux := http.NewServeMux()
	mux.Handle("/graphql", endpoint)
	if config.Introspection {
		mux.Handle("GET /schema.graphql", sdl(text))
	}
	if config.Console != nil {
		for _, pattern := range []string{"GET /{$}", "GET /signed-in", "GET /assets/"} {
			mux.Handle(pattern, config.Console)
		}
	}
	gateway.Handler = identify(transport.SecurityHeaders(strictHTTP(mux)))
	return gateway, nil
}

// execution is the steps of an operation: its document is found, held to the limits, parsed and validated by gqlgen, its cost
// computed; then it runs, in a session of its own, and its errors are put in order.
func (g *Gateway) execution(
	schema graphql.ExecutableSchema, overHTTP graphql.Transport, limited *limits.Limits, errors presenter,
) http.Handler {
	server := handler.New(schema)
	server.AddTransport(overHTTP)
	server.SetErrorPresenter(errors.present)
	server.SetRecoverFunc(errors.recover)
	server.SetQueryCache(documentCache{g.parsed})
	server.SetParserTokenLimit(tokens(g.config))
	server.SetDisableSuggestion(true)
	server.SetValidationRulesFn(validationRules)
	server.Use(g.persisted)
	server.Use(&variables.Checker{})
	server.Use(limited)
	if g.config.Introspection {
		server.Use(extension.Introspection{})
	}
	if g.projector != nil {
		server.AroundRootFields(errors.contained(g.fastPath))
	} else {
		server.AroundRootFields(errors.contained(g.counts.withoutFastPath))
	}
	server.AroundFields(g.counts.field)
	server.AroundResponses(logOperations(g.config.Log, g.config.LogOneIn, g.config.Observer))
	server.AroundResponses(errors.boundAnswer)
	server.AroundResponses(errors.sortErrors)
	if g.config.Trace {
		server.AroundResponses(withTrace)
	}
	server.AroundResponses(g.openOperation)
	return server
}

// accountOf is the account of the request in ctx.
func accountOf(ctx context.Context) *quota.Account { return graph.RequestOf(ctx).Account }
