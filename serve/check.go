package serve

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"

	"pixgraph/graph"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// Features are parts of the schema that can be turned off.
type Features = graph.Features

// Checker checks documents as a gateway does before it executes them, without a request: against the limits, the
// schema, and the limit of the cost.
type Checker struct {
	schema  *graph.Schema
	limited *limits.Limits
}

// NewChecker returns the checker of a gateway with these limits and features.
func NewChecker(config limits.Config, features Features) (*Checker, error) {
	schema, err := graph.NewSchema(nil, features)
	if err != nil {
		return nil, err
	}
	config.Rate = limits.RateConfig{} // there are no callers
	limited, err := limits.New(config, schema.Schema())
	return &Checker{schema, limited}, err
}

// Schema returns the schema in the schema definition language.
func (c *Checker) Schema() string { return c.schema.Text() }

// Limits returns the limits with their defaults.
func (c *Checker) Limits() limits.Config { return c.limited.Config() }

// Measure parses a document and checks it against the limits on documents.
func (c *Checker) Measure(text string) (*ast.QueryDocument, error) { return c.limited.Measure(text) }

// Validate checks a document within the limits against the schema. Errors suggest names of the schema.
func (c *Checker) Validate(document *ast.QueryDocument) gqlerror.List {
	return validator.ValidateWithRules(c.schema.Schema(), document, validationRules(c.schema.Schema(), true))
}

// Cost returns bounds of the cost of an operation of a valid document, whatever the values of its variables are. It
// fails if a gateway rejects the operation with all values.
func (c *Checker) Cost(document *ast.QueryDocument, operation *ast.OperationDefinition) (lowest, highest request.Cost, err error) {
	if operation.Operation == ast.Subscription {
		if _, err := c.schema.SubscribedField(&graphql.OperationContext{Doc: document, Operation: operation}); err != nil {
			return lowest, highest, err
		}
	}
	return c.limited.CostRange(operation)
}
