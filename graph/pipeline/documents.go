package pipeline

import (
	"cmp"
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/graph/mcp"
	"pixgraph/graph/transport"
	"pixgraph/request"
	"pixgraph/upstream"
)

// findDocument sets the document of the call in ctx and reports whether it is cached.
func (g *Gateway) findDocument(ctx context.Context, text string) (ok bool) {
	call := request.CallOf(ctx)
	call.Document, ok = g.parsed.Get(call.Share(), text)
	return ok
}

// acceptDocument validates a document that is within the limits, adds it to the cache, and sets it as the document of
// the call in ctx. The call is charged for it until it ends, even if the document is evicted earlier. The error is a
// [gqlerror.List].
func (g *Gateway) acceptDocument(ctx context.Context, params *graphql.RawParams, document *ast.QueryDocument) error {
	operation := graphql.GetOperationContext(ctx)
	operation.RawQuery, operation.OperationName = params.Query, params.OperationName // also logged for an invalid document
	errs := gqlerror.List{gqlerror.Errorf("no operation provided")}
	if len(document.Operations) > 0 {
		errs = validator.ValidateWithRules(g.schema.Documents, document, validationRules(g.schema.Documents, g.config.Introspection))
	}
	if len(errs) > 0 {
		for _, err := range errs {
			errcode.Set(err, errcode.ValidationFailed)
		}
		return errs
	}
	call := request.CallOf(ctx)
	_ = call.Account.Write(0, g.parsed.Add(call.Share(), params.Query, document)) // without enough memory, the response fails
	call.Document = document
	return nil
}

// requestDocument hands the document of the request to gqlgen's executor as a cached one, so that it is not parsed and
// validated a second time.
type requestDocument struct{}

var _ graphql.Cache[*ast.QueryDocument] = requestDocument{}

// Get implements graphql.Cache.
func (requestDocument) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	document := request.CallOf(ctx).Document
	return document, document != nil
}

// Add implements graphql.Cache. It is not called.
func (requestDocument) Add(context.Context, string, *ast.QueryDocument) {}

// limitsOf adds to the configured limits the values that depend on the resolvers and on the request.
func (g *Gateway) limitsOf() limits.Config {
	c := g.config.Limits
	c.Known, c.Accept, c.Cost, c.File = g.findDocument, g.acceptDocument, costOf, transport.IsDownload
	c.Rate.Identity, c.Rate.Address, c.Rate.Header, c.Rate.Charged = callerOf, addressOf, headerOf, mcp.IsTool
	c.DerivedFields = upstream.DerivedNames()
	c.Rate.SharedAddresses = g.config.Fleet != nil
	c.Rate.SharedIdentities = g.config.Fleet != nil && g.config.Authenticator.Verifies() // else a caller is its token
	return c
}

// callerOf and addressOf return the keys for limits.RateConfig.
func callerOf(ctx context.Context) string { return request.CallOf(ctx).Caller() }

func addressOf(ctx context.Context) string { return request.CallOf(ctx).Address }

// headerOf returns the header of the response to the request in ctx; nil for a message of a WebSocket.
func headerOf(ctx context.Context) http.Header {
	if w := request.CallOf(ctx).Writer; w != nil {
		return w.Header()
	}
	return nil
}

// costOf returns where the cost of the operation in ctx is stored.
func costOf(ctx context.Context) *request.Cost { return &request.CallOf(ctx).Cost }

// persistedOf completes the settings of persisted documents, so that documents of a manifest are checked by the same
// rules as documents that clients send.
func (g *Gateway) persistedOf() persisted.Config {
	c, schema := g.config.Persisted, g.schema.Documents
	c.Own, c.Share = mcp.IsTool, func(ctx context.Context) string { return request.CallOf(ctx).Share() }
	c.Untrusted = func(ctx context.Context) { request.CallOf(ctx).Untrusted = true }
	c.Schema, c.MaxTokens, c.Log = schema, cmp.Or(g.config.Limits.Tokens, limits.DefaultTokens), g.config.Log
	if g.config.Fleet != nil {
		c.Fleet = sharedDocuments{g.config.Fleet, g.limited}
	}
	c.Rules = func() *rules.Rules { return validationRules(schema, g.config.Introspection) }
	return c
}
