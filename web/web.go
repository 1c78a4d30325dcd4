// Package web serves two pages with their scripts and styles, all from the binary: GraphiQL, to explore the gateway
// in a browser, and Payments, for people without GraphQL. It executes no GraphQL and has no token: the pages send their
// requests to the endpoint at the same path, with the token of the user, and to the issuer in Config.
//
// The npm project in pages/ builds the pages; `make build` runs it. A binary without them shows how to build them.
//
// Read New first.
package web

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"pixgraph/web/operations"
)

// Config says what the pages offer. With the zero value, users can only paste a token.
type Config struct {
	// Trace is whether the gateway returns extensions.trace on request: the page draws it.
	Trace bool
	// Schema is whether schema.graphql is served next to the page, which uses it for completion and documentation.
	Schema bool
	// SignIn is where the user gets a token; nil if signing in is not possible.
	SignIn *SignIn
	// Gateway decides which ready-made operations are offered.
	Gateway operations.Gateway
	// Links is whether the gateway finds notification ids in the metadata of a transaction.
	Links bool
	// MaxCost is the largest cost of an operation: the page shows it next to that of the operation in the editor.
	MaxCost int
	// Fees is the unit of feeAmount: cents, reais or unknown.
	Fees string
}

// SignIn is an OIDC issuer with the page's registration as a public client. Its redirect URI is the path signed-in next
// to the page.
type SignIn struct {
	Issuer   string // its URL, exactly as in its discovery document
	ClientID string
	Scopes   []string
	// Metadata is the path, relative to the pages, of the metadata of /graphql (RFC 9728). The pages request tokens for
	// that resource (RFC 8707). It is "" if tokens are not for a resource.
	Metadata string
	// Origins returns those of the issuer's endpoints with another origin than Issuer, as far as they are known; nil
	// for none. The browser sends requests to no other origin.
	Origins func(context.Context) []string
}

//go:embed all:dist
var dist embed.FS

// Console is the pages and their files.
type Console struct {
	pages  map[string]document // by path
	assets assets
}

// New creates a console from the embedded build. It serves GET and HEAD of "/" (GraphiQL), of payments, of signed-in
// (the redirect URI of the issuer) and of their assets, and 404 otherwise. A proxy may serve it under any path that it
// strips.
func New(config Config) (*Console, error) {
	built, err := fs.Sub(dist, "dist/page")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	return newConsole(built, config)
}

// newConsole creates a console from a build.
func newConsole(built fs.FS, config Config) (*Console, error) {
	if _, err := fs.Stat(built, "index.html"); errors.Is(err, fs.ErrNotExist) {
		return unbuilt(), nil
	}
	issuer := func(context.Context) string { return "" }
	if config.SignIn != nil {
		if issuerOrigins(config.SignIn.Issuer) == "" {
			return nil, errors.New("web: an issuer that is not an absolute http or https URL")
		}
		issuer = config.SignIn.origins
	}
	c := &Console{pages: map[string]document{}}
	for path, page := range map[string]struct {
		file   string
		policy func(issuer string) string
	}{
		"/": {"index.html", graphiqlPolicy}, "/payments": {"payments.html", paymentsPolicy},
	} {
		text, err := fs.ReadFile(built, page.file)
		if err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		if text, err = configured(text, config); err != nil {
			return nil, err
		}
		c.pages[path] = newDocument(text, func(ctx context.Context) map[string]string { return pageSecurity(page.policy(issuer(ctx))) })
	}
	callback, err := fs.ReadFile(built, "signed-in.html")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	c.pages["/signed-in"] = newDocument(callback, callbackSecurity)
	c.assets, err = findAssets(built)
	return c, err
}

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var serve http.HandlerFunc
	page, isPage := c.pages[r.URL.Path]
	name, isAsset := strings.CutPrefix(r.URL.Path, "/assets/")
	asset, found := c.assets.files[name]
	switch {
	case isPage:
		serve = page.serve
	case isAsset && found:
		serve = func(w http.ResponseWriter, r *http.Request) { c.assets.serve(w, r, asset) }
	default:
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	serve(w, r)
}

// missing is the page of a binary without the built pages.
const missing = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Pixgraph</title>
</head>
<body>
<h1>This binary was built without its pages, GraphiQL and Payments</h1>
<p>Build it with <code>make build</code>, which needs Node and npm, or start it with <code>make run</code>.
The endpoint is at <a href="graphql">graphql</a>, and the schema at <a href="schema.graphql">schema.graphql</a>.</p>
</body>
</html>
`

func unbuilt() *Console {
	page := newDocument([]byte(missing), func(context.Context) map[string]string { return pageSecurity(missingPolicy) })
	return &Console{pages: map[string]document{"/": page, "/payments": page}}
}
