// Package limits bounds what one request may cost: the work of validating its document, the calls upstream that it may
// lead to, and how often a caller may ask. It refuses before the work is done, in time that is bounded itself. It does
// not bound bodies, answers or connections: those are the transport's and the server's.
//
// Read first: New, and then the methods of Limits in the order gqlgen calls them.
package limits

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Config holds every limit. A limit that is 0 is its default; none can be turned off, only raised.
type Config struct {
	Bytes       int // of a document's text
	Tokens      int // of a document; the executor's SetParserTokenLimit should be the same
	Definitions int // operations and fragments of a document
	Variables   int // of a document's operations together
	Directives  int // of a document, as written
	Nesting     int // braces and brackets within each other, as written
	Depth       int // fields within each other, with fragments expanded; introspection does not count
	Fields      int // of a document's operations together, with fragments expanded
	Aliases     int // of a document's operations together, with fragments expanded
	RootFields  int // of an operation, with fragments expanded and merged
	Repetitions int // fields that are merged under one path of the answer
	Validation  int // steps of validation, see DefaultValidation
	// Introspection is how many values a document may read of the schema itself.
	Introspection int

	MaxCost int // calls upstream that an operation may lead to, at worst
	// LinksByArgumentOnly says that the gateway finds no links by itself: only ids that the caller gives are tried.
	LinksByArgumentOnly bool

	// Known reports whether a document with this text passed the limits before and is still parsed, so that it need not be
	// measured again; nil for never.
	Known func(text string) bool

	Rate RateConfig
}

// The defaults of Config.
const (
	// DefaultBytes: a thousand tokens of generated documents, with indentation, are below 15 KiB.
	DefaultBytes = 32 << 10
	// DefaultTokens: GraphiQL's introspection has 184, every field of every resource together 385.
	DefaultTokens = 1000
	// DefaultDefinitions: a screen made of components has a fragment for each, rarely more than 30.
	DefaultDefinitions = 50
	// DefaultVariables: every field of both filters is 20.
	DefaultVariables = 100
	// DefaultDirectives: @include and @skip on every section of a screen.
	DefaultDirectives = 50
	// DefaultNesting: introspection nests 10 times; fields at the limit of depth, and as many inline fragments, are 30.
	DefaultNesting = 30
	// DefaultDepth: from a transaction to its notifications, one's transaction, and its customer's document, is 7.
	DefaultDepth = 15
	// DefaultFields: twenty notifications with all fields, each with all fields of its transaction, are 3,000.
	DefaultFields = 5000
	// DefaultAliases: fifty records by id, each with an alias, and as many within them.
	DefaultAliases = 100
	// DefaultRootFields is how many ids one list field takes, too.
	DefaultRootFields = 50
	// DefaultRepetitions: as many components as there are definitions may each ask for the same id.
	DefaultRepetitions = 50
	// DefaultValidation bounds the time that gqlparser takes to validate: a node of the document that it visits counts
	// stepsPerVisit, a pair of fields that it compares 1. A step is about 0.15 microseconds, so this is below 10 ms; the
	// slowest documents that a search found take 8. A document at the limit of tokens, made of ordinary fragments, takes a
	// quarter of the steps.
	DefaultValidation = 50_000
	// DefaultIntrospection: the full introspection of our schema reads 8,200 values; gqlgen takes about a microsecond for
	// each.
	DefaultIntrospection = 12_000
	// DefaultMaxCost admits twenty transactions with the notifications of each (20 + 20 x 50) and some more.
	DefaultMaxCost = 1100
)

// withDefaults fills what is 0.
func (c Config) withDefaults() (Config, error) {
	for _, limit := range []struct {
		value    *int
		name     string
		fallback int
	}{
		{&c.Bytes, "Bytes", DefaultBytes},
		{&c.Tokens, "Tokens", DefaultTokens},
		{&c.Definitions, "Definitions", DefaultDefinitions},
		{&c.Variables, "Variables", DefaultVariables},
		{&c.Directives, "Directives", DefaultDirectives},
		{&c.Nesting, "Nesting", DefaultNesting},
		{&c.Depth, "Depth", DefaultDepth},
		{&c.Fields, "Fields", DefaultFields},
		{&c.Aliases, "Aliases", DefaultAliases},
		{&c.RootFields, "RootFields", DefaultRootFields},
		{&c.Repetitions, "Repetitions", DefaultRepetitions},
		{&c.Validation, "Validation", DefaultValidation},
		{&c.Introspection, "Introspection", DefaultIntrospection},
		{&c.MaxCost, "MaxCost", DefaultMaxCost},
	} {
		if *limit.value < 0 {
			return c, fmt.Errorf("limits: %s must not be negative", limit.name)
		}
		if *limit.value == 0 {
			*limit.value = limit.fallback
		}
	}
	return c, nil
}

// Limits is the extension of a gqlgen server that keeps the limits. Its hooks run in this order: the parameters of a
// request are charged for being one and its document is measured, before validation; the operation's cost is computed,
// held to its limit and charged, before execution; the cost is told with the answer.
type Limits struct {
	config Config
	schema *ast.Schema
	ways   ways
	rate   *limiter // nil when no rate is set
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = (*Limits)(nil)

// New checks the configuration and makes an extension for one server.
func New(config Config) (*Limits, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	rate, err := newLimiter(config.Rate)
	if err != nil {
		return nil, err
	}
	if config.Known == nil {
		config.Known = func(string) bool { return false }
	}
	return &Limits{config: config, rate: rate}, nil
}

// ExtensionName implements graphql.HandlerExtension.
func (l *Limits) ExtensionName() string { return "Limits" }

// Validate implements graphql.HandlerExtension: it learns the schema, and fails where a field declares its calls
// wrongly.
func (l *Limits) Validate(executable graphql.ExecutableSchema) error {
	l.schema = executable.Schema()
	var err error
	l.ways, err = waysOf(l.schema)
	return err
}

// MutateOperationParameters implements graphql.OperationParameterMutator. It charges the caller for one request and
// holds the document to its limits, before gqlgen parses and validates it. What is no document is left to gqlgen.
func (l *Limits) MutateOperationParameters(ctx context.Context, request *graphql.RawParams) *gqlerror.Error {
	if err := l.rate.charge(ctx, 1, 0); err != nil {
		return gqlError(err)
	}
	if l.config.Known(request.Query) {
		return nil
	}
	document, err := l.parse(request.Query)
	if err != nil {
		return gqlError(err)
	}
	if document == nil {
		return nil
	}
	if err := l.measure(document); err != nil {
		return gqlError(err)
	}
	return nil
}

// costExtension is the name under which an operation's cost is kept and told.
const costExtension = "cost"

// HeaderCost is the request header that, with the value 1, asks for extensions.cost.
const HeaderCost = "X-Pixgraph-Cost"

// Cost is the value of extensions.cost.
type Cost struct {
	UpstreamCalls int `json:"upstreamCalls"` // at worst
	Max           int `json:"max"`
}

// MutateOperationContext implements graphql.OperationContextMutator. It computes the operation's cost, refuses it above
// the limit, and charges the caller for it.
func (l *Limits) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	cost := l.cost(operation)
	operation.Stats.SetExtension(costExtension, Cost{cost, l.config.MaxCost})
	if cost > l.config.MaxCost {
		return gqlError(exceeded(LimitCost, l.config.MaxCost))
	}
	if err := l.rate.charge(ctx, cost-1, 1); err != nil {
		return gqlError(err)
	}
	return nil
}

// InterceptResponse implements graphql.ResponseInterceptor: it tells the cost to those who ask, also when it was refused.
func (l *Limits) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if graphql.HasOperationContext(ctx) && graphql.GetOperationContext(ctx).Headers.Get(HeaderCost) == "1" {
		if cost, ok := costOf(ctx); ok {
			graphql.RegisterExtension(ctx, costExtension, cost)
		}
	}
	return next(ctx)
}

// CostOf is how many calls upstream the operation in ctx may make at worst; 0 when that was not computed.
func CostOf(ctx context.Context) int {
	cost, _ := costOf(ctx)
	return cost.UpstreamCalls
}

func costOf(ctx context.Context) (Cost, bool) {
	if !graphql.HasOperationContext(ctx) {
		return Cost{}, false
	}
	cost, ok := graphql.GetOperationContext(ctx).Stats.GetExtension(costExtension).(Cost)
	return cost, ok
}
