package graph

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql/playground"
)

// consolePolicy lets gqlgen's GraphiQL page load its scripts, which come from a CDN.
const consolePolicy = "default-src 'self'; script-src 'self' 'unsafe-inline' https://cdn.jsdelivr.net; " +
	"style-src 'self' 'unsafe-inline' https://cdn.jsdelivr.net; font-src data: https://cdn.jsdelivr.net; img-src 'self' data:; " +
	"worker-src 'self' blob:; frame-ancestors 'none'"

// console serves gqlgen's GraphiQL page.
func console(token func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		headers := map[string]string{}
		if token != nil {
			headers["Authorization"] = "Bearer " + token()
		}
		w.Header().Set("Content-Security-Policy", consolePolicy)
		w.Header().Set("Cache-Control", "no-store") // the page may hold a token of the sandbox
		playground.HandlerWithHeaders("Pixgraph", "/graphql", nil, headers)(w, r)
	}
}
