package pipeline

import (
	"cmp"

	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/upstream"
)

// limitsOf completes the settings of limits.
func (g *Gateway) limitsOf() limits.Config {
	c := g.config.Limits
	c.DerivedFields = upstream.DerivedNames()
	c.Rate.SharedAddresses = g.config.Fleet != nil
	c.Rate.SharedIdentities = g.config.Fleet != nil && g.config.Authenticator.Verifies() // else a caller is its token
	return c
}

// persistedOf completes the settings of persisted documents, so that documents of a manifest are checked by the same
// rules as documents that clients send.
func (g *Gateway) persistedOf() persisted.Config {
	c := g.config.Persisted
	c.Schema, c.MaxTokens, c.Log = g.schema.Documents, cmp.Or(g.config.Limits.Tokens, limits.DefaultTokens), g.config.Log
	c.Rules = g.rules
	if g.config.Fleet != nil {
		c.Fleet = sharedDocuments{g.config.Fleet, g.limited}
	}
	return c
}
