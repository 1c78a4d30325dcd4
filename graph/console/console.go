// Package console serves GraphiQL: one page with its scripts and styles, all from the binary, to explore the gateway in
// a browser. It executes no GraphQL and has no token: the page sends its requests to the endpoint at the same path,
// with the token of the user, and to the issuer in Config.
//
// The npm project in web/ builds the page; `make build` runs it. A binary without the built page shows how to build it.
//
// Read New first.
package console

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"pixgraph/graph/console/operations"
)

// Config says what the page offers. With the zero value, users can only paste a token.
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
}

// SignIn is an OIDC issuer with the page's registration as a public client. Its redirect URI is the path signed-in next
// to the page.
type SignIn struct {
	Issuer   string // its URL, exactly as in its discovery document
	ClientID string
	Scopes   []string
	// Origins are those of the issuer's endpoints with another origin than Issuer. The browser sends requests to no
	// other origin.
	Origins []string
}

//go:embed all:dist
var dist embed.FS

// Console is the page and its files.
type Console struct {
	page     document
	callback document // the redirect URI of the issuer
	assets   assets
}

// New creates a console from the embedded build. It serves GET and HEAD of "/", of signed-in and of its assets, and 404
// otherwise. A proxy may serve it under any path that it strips.
func New(config Config) (*Console, error) {
	built, err := fs.Sub(dist, "dist/page")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return newConsole(built, config)
}

// newConsole creates a console from a build.
func newConsole(built fs.FS, config Config) (*Console, error) {
	text, err := fs.ReadFile(built, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		return unbuilt(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	policy, err := pagePolicy(config.SignIn)
	if err != nil {
		return nil, err
	}
	text, err = configured(text, config)
	if err != nil {
		return nil, err
	}
	callback, err := fs.ReadFile(built, "signed-in.html")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	assets, err := findAssets(built)
	if err != nil {
		return nil, err
	}
	return &Console{
		page:     newDocument(text, pageSecurity(policy)),
		callback: newDocument(callback, callbackSecurity()),
		assets:   assets,
	}, nil
}

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var serve http.HandlerFunc
	name, isAsset := strings.CutPrefix(r.URL.Path, "/assets/")
	asset, found := c.assets.files[name]
	switch {
	case r.URL.Path == "/":
		serve = c.page.serve
	case r.URL.Path == "/signed-in" && c.callback.text != nil:
		serve = c.callback.serve
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

// missing is the page of a binary without the built page.
const missing = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Pixgraph</title>
</head>
<body>
<h1>This binary was built without its console, GraphiQL</h1>
<p>Build it with <code>make build</code>, which needs Node and npm, or start it with <code>make run</code>.
The endpoint is at <a href="graphql">graphql</a>, and the schema at <a href="schema.graphql">schema.graphql</a>.</p>
</body>
</html>
`

func unbuilt() *Console {
	return &Console{page: newDocument([]byte(missing), pageSecurity(missingPolicy))}
}
