package pipeline

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph"
	"pixgraph/graph/documents"
	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
)

// documentCache is the executor's document cache. A request is charged for the documents that it adds.
type documentCache struct{ *documents.Cache }

var _ graphql.Cache[*ast.QueryDocument] = documentCache{}

// Add implements graphql.Cache: gqlgen's executor calls it with a valid document before execution. The request is
// charged until it ends, even if the document is evicted earlier.
func (c documentCache) Add(ctx context.Context, text string, document *ast.QueryDocument) {
	bytes := c.Cache.Add(text, document)
	_ = graph.RequestOf(ctx).Account.Write(0, bytes) // without enough memory, the response fails
}

// limitsOf adds to the configured limits the values that depend on the resolvers and on the request.
func limitsOf(config Config, parsed *documents.Cache) limits.Config {
	c := config.Limits
	c.Known, c.Cost = parsed.Has, costOf
	c.LinksByArgumentOnly = config.MetadataPointer == nil
	c.Rate.Identity, c.Rate.Address = callerOf, addressOf
	return c
}

// costOf returns where the cost of the operation in ctx is stored.
func costOf(ctx context.Context) *limits.Cost { return &graph.RequestOf(ctx).Cost }

// tokens returns the limit of tokens, which also applies to gqlgen's parser.
func tokens(config Config) int {
	if config.Limits.Tokens > 0 {
		return config.Limits.Tokens
	}
	return limits.DefaultTokens
}

// persistedOf completes the settings of persisted documents, so that documents of a manifest are checked by the same rules
// as documents that clients send.
func persistedOf(config Config, schema *ast.Schema) persisted.Config {
	c := config.Persisted
	c.Schema, c.Rules, c.MaxTokens, c.Log = schema, validationRules, tokens(config), config.Log
	return c
}
