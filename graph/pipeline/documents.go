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

// documentCache is the executor's cache of documents: what a request adds is charged to its account.
type documentCache struct{ *documents.Cache }

var _ graphql.Cache[*ast.QueryDocument] = documentCache{}

// Add implements graphql.Cache: gqlgen's executor calls it with a document that is valid, before it runs. The request that
// brought the document holds it until it ends, also when it is evicted before.
func (c documentCache) Add(ctx context.Context, text string, document *ast.QueryDocument) {
	bytes := c.Cache.Add(text, document)
	_ = graph.RequestOf(ctx).Account.Write(0, bytes) // the answer fails where there is no memory
}

// limitsOf completes the limits with what the resolvers keep to, and with what tells callers apart.
func limitsOf(config Config, parsed *documents.Cache) limits.Config {
	c := config.Limits
	c.Known = parsed.Has
	c.LinksByArgumentOnly = config.MetadataPointer == nil
	c.Rate.Identity, c.Rate.Address = callerOf, addressOf
	return c
}

// tokens is the limit of tokens, which gqlgen's parser keeps too.
func tokens(config Config) int {
	if config.Limits.Tokens > 0 {
		return config.Limits.Tokens
	}
	return limits.DefaultTokens
}

// persistedOf completes the settings of persisted documents: a manifest's are held to what sent ones are.
func persistedOf(config Config, schema *ast.Schema) persisted.Config {
	c := config.Persisted
	c.Schema, c.Rules, c.MaxTokens, c.Log = schema, validationRules, tokens(config), config.Log
	return c
}
