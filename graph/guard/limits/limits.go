// Package limits bounds the cost of one request: the work of validating its document, the upstream calls that it can
// cause, and the rate of requests of a caller. It rejects a request before that work is done, in bounded time. It does
// not bound bodies, responses or connections; serve/transport and the server do.
//
// Read New first, then Charge, Measure and Cost, which package serve calls in this order.
package limits

import (
	"cmp"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/request"
)

// Config holds every limit. A limit of 0 means its default. A limit can be raised, but not turned off.
type Config struct {
	Bytes      int // length of the document
	Tokens     int // tokens of the document; comments too
	Defers     int // @defer, fragments not expanded; inactive ones too
	Depth      int // nesting of fields, fragments expanded; introspection is not counted
	Fields     int // fields of all operations together, fragments expanded
	Derived    int // DerivedFields of all operations together, fragments expanded
	Validation int // steps of validation; see DefaultValidation
	// Introspection is the number of values that a document may select through introspection.
	Introspection int

	// DerivedFields are the names of fields that are computed from a record, which takes more time than to copy a
	// value.
	DerivedFields map[string]bool

	MaxCost int // upstream calls that an operation may cause in the worst case

	Rate RateConfig
}

// MaxIDs bounds the ids that one field may look up, since each id is an upstream call.
const MaxIDs = 50

// The defaults of Config. TestFigures compares docs/limits.md with what the schema needs.
const (
	// DefaultBytes: a thousand tokens of generated documents, with indentation, are below 15 KiB.
	DefaultBytes = 32 << 10
	// DefaultTokens: GraphiQL's introspection has 184, every field of every resource together 566.
	DefaultTokens = 1000
	// DefaultDefers: the parts of a screen that may arrive later. Each may be one part for each record of a list.
	DefaultDefers = 5
	// DefaultDepth: the path from a transaction over its notifications and their transaction to the customer's document
	// has 7.
	DefaultDepth = 15
	// DefaultFields: twenty notifications with all fields, each with all fields of its transaction.
	DefaultFields = 5000
	// DefaultDerived: twenty notifications with all fields, each with all fields of its transaction, have 100. A
	// derived field takes up to 10 microseconds for each of 100 records of a list, so they take 100 ms at most.
	DefaultDerived = 100
	// DefaultValidation bounds the time of validation in gqlparser: a visit of a node counts stepsPerVisit, a
	// comparison of two fields 1. A step takes about 0.15 microseconds, so validation stays below 10 ms; the slowest
	// documents found by a search take 8 ms. A document of ordinary fragments at the limit of tokens takes a quarter of
	// the steps.
	DefaultValidation = 50_000
	// DefaultIntrospection: the full introspection of this schema. gqlgen takes about a microsecond for each value.
	DefaultIntrospection = 16_000
	// DefaultMaxCost allows twenty transactions with the notifications of each (20 + 20 x 50), and some more.
	DefaultMaxCost = 1100
)

// withDefaults replaces each limit of 0 by its default.
func (c Config) withDefaults() Config {
	for _, b := range c.bounds() {
		*b.value = cmp.Or(*b.value, b.fallback)
	}
	return c
}

// Limits enforces the limits on the documents of one schema.
type Limits struct {
	config        Config
	schema        *ast.Schema
	callingFields callingFields
	rate          limiter
}

// New returns the limits for a schema. It fails if the configuration, or a declaration of calls in the schema, is
// invalid.
func New(config Config, schema *ast.Schema) (*Limits, error) {
	config = config.withDefaults()
	rate, err := newLimiter(config.Rate, config.MaxCost)
	if err != nil {
		return nil, err
	}
	calling, err := findCallingFields(schema)
	return &Limits{config, schema, calling, rate}, err
}

// Config returns the limits with their defaults.
func (l *Limits) Config() Config { return l.config }

// Charge charges the caller for one request.
func (l *Limits) Charge(call *request.Call) error { return l.rate.charge(call, 1, 0) }

// HeaderCost is the request header that, with the value 1, requests extensions.cost.
const HeaderCost = "X-Pixgraph-Cost"

// Cost computes the cost of a call's operation, stores it in the call, rejects the operation if it is above the limit,
// and charges the caller for it.
func (l *Limits) Cost(call *request.Call, operation *graphql.OperationContext) error {
	cost, err := l.cost(operation, call.File)
	call.Cost = request.Cost{UpstreamCalls: cost, Max: l.config.MaxCost}
	if err != nil {
		return err
	}
	return l.rate.charge(call, cost-1, 1)
}
