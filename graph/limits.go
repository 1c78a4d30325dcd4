package graph

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/documents"
	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
	"pixgraph/internal/quota"
)

// What the packages limits and persisted need to know of this one.

// limitsOf completes the limits with what the resolvers keep to, and with who a caller is.
func limitsOf(config Config, parsed *documents.Cache) limits.Config {
	c := config.Limits
	c.Known = parsed.Has
	c.MaxLinks = maxIDs
	c.LinksByArgumentOnly = config.MetadataPointer == nil
	c.Rate.Identity = CallerKey
	return c
}

// tokens is the limit of tokens, which gqlgen's parser keeps too.
func tokens(config Config) int {
	if config.Limits.Tokens > 0 {
		return config.Limits.Tokens
	}
	return limits.DefaultTokens
}

// documentsOf completes the settings of persisted documents: a manifest's are held to what sent ones are.
func documentsOf(config Config, schema *ast.Schema) persisted.Config {
	c := config.Persisted
	c.Schema, c.Rules, c.MaxTokens, c.Log = schema, validationRules, tokens(config), config.Log
	return c
}

// refusal is the HTTP status of what was refused before it ran, where it is not what the specification of GraphQL over
// HTTP says of request errors.
func refusal(err error) (int, http.Header) {
	var (
		limited  *limits.RateLimited
		document *persisted.Error
	)
	switch {
	case errors.Is(err, quota.ErrExhausted):
		seconds := strconv.Itoa(int(retryAfterOverload.Seconds()))
		return http.StatusServiceUnavailable, http.Header{"Retry-After": {seconds}}
	case errors.As(err, &limited):
		return limited.HTTPStatus(), http.Header{"Retry-After": {limited.RetryAfterSeconds()}}
	case errors.As(err, &document) && document.Code == persisted.CodeNotFound,
		errors.As(err, &document) && document.Code == persisted.CodeNotSupported:
		return http.StatusOK, nil // clients of Apollo's protocol look for these in answers that went well
	default:
		return 0, nil
	}
}
