// Package console serves GraphiQL: one page with its scripts and styles, all from the binary, for people who explore the
// gateway in a browser. It answers no GraphQL and holds no token: the page talks to the endpoint beside it, as the person
// who signed in there, and to the issuer that Config names.
//
// The page is made by the npm project in web/, which `make build` runs; a binary built without it says so instead.
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

// Config says what the page offers. Its zero value is a page where a token is pasted.
type Config struct {
	// Trace is whether the gateway answers extensions.trace to those who ask: the page draws it.
	Trace bool
	// Schema is whether the schema is served at schema.graphql beside the page: it completes and explains with it.
	Schema bool
	// SignIn is where a person gets a token; nil where nobody can sign in.
	SignIn *SignIn
	// Operations are shown to those who open the page for the first time.
	Operations []operations.Operation
}

// SignIn is an OIDC issuer and what it knows the page as: a public client, which may be sent back to the path signed-in
// beside the page.
type SignIn struct {
	Issuer   string // its URL, to the letter as in its discovery document
	ClientID string
	Scopes   []string
	// Origins are those of the issuer's endpoints that are not at Issuer's own. The browser talks to no others.
	Origins []string
}

//go:embed all:dist
var dist embed.FS

// Console is the page and what belongs to it.
type Console struct {
	page     document
	callback document // where the issuer sends a person back to
	assets   assets
}

// New makes a console of what the binary was built with. It answers GET and HEAD of "/", of signed-in and of its assets,
// and 404 otherwise. A proxy may serve it under any path that it strips.
func New(config Config) (*Console, error) {
	built, err := fs.Sub(dist, "dist/page")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return newConsole(built, config)
}

// newConsole makes a console of a build.
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

// missing is the page of a binary that has none.
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
