package pipeline

import (
	"net/http"
	"path"
	"slices"
	"strings"
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
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sdl serves the schema in the schema definition language.
func sdl(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}
