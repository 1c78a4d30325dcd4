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
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/auth"
	"pixgraph/graph/generated"
	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
	"pixgraph/graph/projection"
	"pixgraph/graph/transport"
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
	MaxOperations    int           // requests of operations served at a time; 0 for no bound

	Limits    limits.Config
	MaxBody   int64 // bytes of a request's body
	MaxErrors int   // errors of an answer
	Compress  int   // bytes of an answer from which it is compressed; 0 for the default, negative for never
	Persisted persisted.Config
	Origins   []string // the origins whose pages may use the gateway from a browser
}

// cachedDocuments is how many parsed and validated documents are kept: more than the clients of one product use at a time.
// One at the limit of tokens takes 220 KB.
const cachedDocuments = 500

// Gateway serves /graphql, the console at /, and /schema.graphql. It must be closed.
type Gateway struct {
	http.Handler
	documents *persisted.Documents
	projector *projection.Projector // nil where the fast path is off
	counts    *counters
	admission admission
}

// Close ends what the gateway does in the background.
func (g *Gateway) Close() { g.documents.Close() }

// New builds a gateway. Its errors name the setting that is wrong.
func New(config Config) (*Gateway, error) {
	if config.Client == nil || config.Authenticator == nil || config.Log == nil {
		return nil, errors.New("graph: Config needs Client, Authenticator and Log")
	}
	schema := executableSchema(config)
	counts := newCounters(schema.Schema())
	errors := presenter{config.Log, counts}
	guard, err := transport.NewGuard(transport.GuardConfig{Origins: config.Origins, Present: errors.present})
	if err != nil {
		return nil, err
	}
	limited, err := limits.New(limitsOf(config))
	if err != nil {
		return nil, err
	}
	documents, err := persisted.New(documentsOf(config, schema.Schema()))
	if err != nil {
		return nil, err
	}
	overHTTP, err := transport.New(transport.Config{
		MaxBody: config.MaxBody, MaxErrors: config.MaxErrors, CompressFrom: config.Compress, Headers: []string{limits.HeaderCost, HeaderTrace},
		Present: errors.present, Refusal: refusal,
	})
	if err != nil {
		documents.Close()
		return nil, err
	}
	text, err := schemaText()
	if err != nil {
		documents.Close()
		return nil, err
	}

	gateway := &Gateway{documents: documents, counts: counts}
	gateway.admission.most = int64(config.MaxOperations)
	if !config.Reference {
		gateway.projector = projection.New(schema.Schema(), links(), counts.unknown)
	}

	// The way of a request to the executor, from the outside in.
	endpoint := gateway.pipeline(config, schema, overHTTP, limited, errors)
	endpoint = limited.Handler(endpoint)
	endpoint = readTimeout(endpoint)
	endpoint = authenticate(config.Authenticator, config.Log, endpoint)
	endpoint = gateway.admission.admit(endpoint)
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
	server.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	server.SetParserTokenLimit(tokens(config))
	server.SetDisableSuggestion(true)
	server.SetValidationRulesFn(validationRules)
	server.Use(g.documents)
	server.Use(limited)
	if config.Introspection {
		server.Use(extension.Introspection{})
	}
	if g.projector != nil {
		server.AroundRootFields(g.projector.Intercept)
	} else {
		server.AroundRootFields(g.counts.referred)
	}
	server.AroundFields(g.counts.field)
	server.AroundResponses(logOperations(config.Log, config.LogOneIn, config.Observer))
	server.AroundResponses(tidyErrors)
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
	return generated.NewExecutableSchema(generated.Config{
		Resolvers:  resolvers,
		Directives: generated.DirectiveRoot{RequiresScopes: requiresScopes},
	})
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
