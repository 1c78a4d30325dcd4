package pipeline

import (
	"net/http"
	"net/url"
	"slices"

	"pixgraph/auth"
	"pixgraph/graph/transport/cors"
)

// resource returns the resource at a path, and serves its metadata: at the URL of the standard, and for a proxy that
// strips the path of PublicURL also below that one. Without PublicURL nothing is served.
func (g *Gateway) resource(path string, mux *http.ServeMux) (auth.Resource, error) {
	resource := auth.ResourceAt(g.config.PublicURL, path)
	if resource.URL == "" {
		return resource, nil
	}
	public, err := url.Parse(resource.MetadataURL())
	if err != nil {
		return resource, err
	}
	document, err := metadata(resource.Metadata(g.config.Issuers, g.schema.Scopes()))
	if err != nil {
		return resource, err
	}
	for _, served := range slices.Compact([]string{public.Path, auth.MetadataPath + path}) {
		mux.Handle("GET "+served, document)
		mux.Handle("OPTIONS "+served, document)
	}
	return resource, nil
}

// metadata serves a document that is the same for everybody, also for the pages of all origins: they read it before
// they have a token. Clients of the Model Context Protocol send the header of their version.
func metadata(document []byte) (http.Handler, error) {
	open, err := cors.New(cors.Config{Origins: []string{"*"}, Headers: []string{"mcp-protocol-version"}})
	return open.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(document)
	})), err
}
