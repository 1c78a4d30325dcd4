package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pixgraph/auth"
	"pixgraph/serve/cors"
)

// resources are a resource by its URLs, the public one first.
type resources []auth.Resource

// of returns the resource at the host that a client uses, or else the first one.
func (s resources) of(r *http.Request) auth.Resource {
	at := slices.IndexFunc(s, func(resource auth.Resource) bool { return strings.Contains(resource.URL, "://"+r.Host+"/") })
	return s[max(0, at)]
}

// resources returns the resource at a path, and serves its metadata: at the URL of the standard, and for a proxy that
// strips the path of PublicURL also below that one. Without PublicURL nothing is served.
func (g *Gateway) resources(path string, mux *http.ServeMux) (resources, error) {
	at := resources{auth.ResourceAt(g.config.PublicURL, path)}
	if at[0].URL == "" {
		return at, nil
	}
	for _, alias := range g.config.PublicAliases {
		at = append(at, auth.ResourceAt(alias, path))
	}
	public, err := url.Parse(at[0].MetadataURL())
	if err != nil {
		return at, err
	}
	documents := map[auth.Resource][]byte{}
	for _, resource := range at {
		documents[resource] = resource.Metadata(g.config.Issuers, g.schema.Scopes(), g.config.BoundTokens)
	}
	document, err := metadata(func(r *http.Request) []byte { return documents[at.of(r)] })
	if err != nil {
		return at, err
	}
	for _, served := range slices.Compact([]string{public.Path, auth.MetadataPath + path}) {
		mux.Handle("GET "+served, document)
		mux.Handle("OPTIONS "+served, document)
	}
	return at, nil
}

// metadata serves a document that is the same for everybody, also for the pages of all origins: they read it before
// they have a token.
func metadata(document func(*http.Request) []byte) (http.Handler, error) {
	open, err := cors.New(cors.Config{Origins: []string{"*"}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if open.Answer(w, r) {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(document(r))
	}), err
}
