// Package graph is the GraphQL side of the gateway: the schema, its resolvers, and the pipeline that a request goes
// through. It knows the REST APIs only through package upstream, and the caller only through package auth.
//
// Read first: New and then pipeline, every step of a request in its order. Then a schema file, such as deposit.graphqls,
// and its resolvers, in deposit.resolvers.go.
package graph

import (
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"pixgraph/auth"
	"pixgraph/graph/documents"
	"pixgraph/graph/generated"
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
	// Observer is told of every operation; nil for nobody.
	Observer Observer
	// LogOneIn is of how many operations without an error one is logged; 0 for all. Those with errors always are.
	LogOneIn int
	// Reference has gqlgen write every answer, field by field: the fast path off.
	Reference        bool
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
	schema := executableSchema(config)
	gateway := &Gateway{
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
		Present: errors.present, Refusal: refusal, Admit: gateway.admission.admit,
	})
	if err != nil {
		return nil, err
	}
	text, err := schemaText()
	if err != nil {
		return nil, err
	}
	if gateway.persisted, err = persisted.New(documentsOf(config, schema.Schema())); err != nil {
		return nil, err
	}
	if !config.Reference {
		gateway.projector = projection.New(projection.Config{
			Schema: schema.Schema(), Documents: gateway.parsed, Links: links(), Unknown: gateway.counts.unknown, MaxErrors: config.MaxErrors,
		})
	}

	// The way of a request to the executor, from the outside in.
	endpoint := gateway.pipeline(config, schema, overHTTP, limited, errors)
	endpoint = limited.Handler(endpoint)
	endpoint = readTimeout(endpoint)
	endpoint = authenticate(config.Authenticator, gateway.openAccounts(config.Bytes), config.Log, endpoint)
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
	gateway.Handler = identifyRequest(transport.SecurityHeaders(strictHTTP(mux)))
	return gateway, nil
}

// pipeline is the way of an operation, in the order of its steps: its document is found, held to the limits, parsed and
// validated by gqlgen, its cost computed; then it runs, with loaders of its own, and its errors are put in order.
func (g *Gateway) pipeline(
	config Config, schema graphql.ExecutableSchema, overHTTP graphql.Transport, limited *limits.Limits, errors presenter,
) http.Handler {
	server := handler.New(schema)
	server.AddTransport(overHTTP)
	server.SetErrorPresenter(errors.present)
	server.SetRecoverFunc(errors.recover)
	server.SetQueryCache(g.parsed)
	server.SetParserTokenLimit(tokens(config))
	server.SetDisableSuggestion(true)
	server.SetValidationRulesFn(validationRules)
	server.Use(g.persisted)
	server.Use(&variables.Checker{})
	server.Use(limited)
	if config.Introspection {
		server.Use(extension.Introspection{})
	}
	if g.projector != nil {
		server.AroundRootFields(errors.contained(g.projector.Intercept))
	} else {
		server.AroundRootFields(errors.contained(g.counts.referred))
	}
	server.AroundFields(g.counts.field)
	server.AroundResponses(logOperations(config.Log, config.LogOneIn, config.Observer))
	server.AroundResponses(errors.boundAnswer)
	server.AroundResponses(errors.sortErrors)
	if config.Trace {
		server.AroundResponses(withTrace)
	}
	server.AroundResponses(withLoaders(config.Client, config.OperationTimeout, g.counts))
	return server
}

// executableSchema puts the resolvers behind the generated executor.
func executableSchema(config Config) graphql.ExecutableSchema {
	resolvers := &resolver{client: config.Client}
	if config.MetadataPointer != nil {
		resolvers.links = append(resolvers.links, metadata{config.MetadataPointer})
	}
	wired := generated.Config{
		Resolvers:  resolvers,
		Directives: generated.DirectiveRoot{RequiresScopes: requiresScopes},
	}
	schema := *generated.NewExecutableSchema(wired).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer") // gqlparser adds it to every schema; nobody would read what is deferred
	wired.Schema = &schema
	return generated.NewExecutableSchema(wired)
}

//go:embed *.graphqls
var schemaFiles embed.FS

// schemaText joins the schema files into one text.
func schemaText() (string, error) {
	names, err := fs.Glob(schemaFiles, "*.graphqls")
	if err != nil {
		return "", err
	}
	texts := make([]string, len(names))
	for i, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		texts[i] = string(text)
	}
	return strings.Join(texts, "\n"), nil
}

// sdl serves the schema in its definition language.
func sdl(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}
