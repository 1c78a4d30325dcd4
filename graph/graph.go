// Package graph is the GraphQL side of the gateway: the schema, its resolvers, and the pipeline that a request goes
// through. It knows the REST APIs only through package upstream, and the caller only through package auth.
//
// Read first: New, which builds the pipeline, every step in its order. Then a schema file, such as deposit.graphqls,
// and its resolvers, in deposit.resolvers.go.
package graph

import (
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/99designs/gqlgen/graphql/playground"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/auth"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

// Config says what the gateway serves.
type Config struct {
	Client        *upstream.Client
	Authenticator *auth.Authenticator
	Introspection bool // whether the schema can be read, through __schema and /schema.graphql
	Console       bool // whether GraphiQL is served at /
	// ConsoleToken makes a token that GraphiQL starts with; nil for none. For the sandbox only.
	ConsoleToken func() string
	// MetadataPointer is the place of notification ids in a transaction's metadata; nil when there is none.
	MetadataPointer upstream.Pointer
	Log             *slog.Logger
}

const (
	// maxBody bounds a request's body: the largest document of our own tests is below 10 KiB.
	maxBody = 1 << 20
	// maxTokens bounds a document before it is parsed; validation costs the square of it.
	maxTokens = 1000
	// cachedDocuments is how many parsed and validated documents are kept: more than the clients of one product have.
	cachedDocuments = 1000
)

//go:embed *.graphqls
var schemaFiles embed.FS

// New builds the gateway's handler: /graphql, the console at /, and /schema.graphql.
func New(config Config) (http.Handler, error) {
	if config.Client == nil || config.Authenticator == nil || config.Log == nil {
		return nil, errors.New("graph: Config needs Client, Authenticator and Log")
	}
	schema, err := schemaText()
	if err != nil {
		return nil, err
	}
	// The way of a request, from the outside in; what comes first sees it first.
	graphql := operations(config)
	graphql = http.MaxBytesHandler(graphql, maxBody)
	graphql = authenticate(config.Authenticator, graphql)

	mux := http.NewServeMux()
	mux.Handle("/graphql", graphql)
	if config.Introspection {
		mux.HandleFunc("GET /schema.graphql", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte(schema))
		})
	}
	if config.Console {
		mux.Handle("GET /{$}", console(config.ConsoleToken))
	}
	return identifyRequest(mux), nil
}

// operations parses, validates and executes the operations of authenticated requests.
func operations(config Config) http.Handler {
	resolvers := &resolver{client: config.Client}
	if config.MetadataPointer != nil {
		resolvers.links = append(resolvers.links, metadata{config.MetadataPointer})
	}
	server := handler.New(generated.NewExecutableSchema(generated.Config{
		Resolvers:  resolvers,
		Directives: generated.DirectiveRoot{RequiresScopes: requiresScopes},
	}))
	server.AddTransport(transport.POST{})
	server.AddTransport(transport.GET{})
	server.SetParserTokenLimit(maxTokens)
	server.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	server.SetDisableSuggestion(true)
	server.SetValidationRulesFn(rulesWithoutSuggestions)
	if config.Introspection {
		server.Use(extension.Introspection{})
	}
	errors := presenter{config.Log}
	server.SetErrorPresenter(errors.present)
	server.SetRecoverFunc(errors.recover)
	server.AroundResponses(logOperations(config.Log))
	server.AroundResponses(tidyErrors)
	server.AroundResponses(withLoaders(config.Client))
	return server
}

// rulesWithoutSuggestions are the rules of validation with those replaced that answer with names of the schema
// ("Did you mean …"); SetDisableSuggestion replaces two more.
func rulesWithoutSuggestions() *rules.Rules {
	set := rules.NewDefaultRules()
	for name, quiet := range map[string]core.Rule{
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		set.RemoveRule(name)
		set.AddRule(quiet.Name, quiet.RuleFunc)
	}
	return set
}

// console serves gqlgen's GraphiQL page, which loads its scripts from a CDN.
func console(token func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		headers := map[string]string{}
		if token != nil {
			headers["Authorization"] = "Bearer " + token()
		}
		playground.HandlerWithHeaders("Pixgraph", "/graphql", nil, headers)(w, r)
	}
}

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
