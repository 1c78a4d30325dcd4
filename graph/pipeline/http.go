package pipeline

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
)

// step is HTTP middleware.
type step func(http.Handler) http.Handler

// chain returns a handler that runs the steps in order, and then the last handler.
func chain(steps []step, last http.Handler) http.Handler {
	for _, step := range slices.Backward(steps) {
		last = step(last)
	}
	return last
}

// strictHTTP handles cases in which http.ServeMux and net/http are lenient. A path that is not clean is not found: the
// mux would redirect and repeat the path. The connection of a chunked body is closed after the response: the request
// may also have had a Content-Length, which net/http hides, so the data that follows may be smuggled (RFC 9112, section
// 6.1).
func strictHTTP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		if p := r.URL.Path; p != "/" && p != "" && path.Clean(p) != strings.TrimSuffix(p, "/") {
			notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// notFound responds to a request for a path that the gateway does not serve. It does not repeat the path, which may
// have a token.
func notFound(w http.ResponseWriter, r *http.Request) {
	refuse(w, r, &apierror.Error{
		Status: http.StatusNotFound, Code: apierror.BadRequest, Message: "nothing is served at this path: the GraphQL endpoint is " + auth.GraphQLPath,
	})
}

// unrouted responds to a request that no other pattern of a mux matches. Those with a method are all for GET.
func unrouted(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		other := *r
		other.Method = http.MethodGet
		if _, pattern := mux.Handler(&other); pattern == "/" {
			notFound(w, r)
			return
		}
		refuse(w, r, &apierror.Error{
			Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "GET, HEAD"},
			Message: "this path is for GET only: the GraphQL endpoint is " + auth.GraphQLPath,
		})
	}
}

// sdl serves the schema in the schema definition language.
func sdl(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}
