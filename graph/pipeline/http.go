package pipeline

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// step is a step of a request: it goes around those that follow.
type step func(http.Handler) http.Handler

// chain has a request go through steps in their order, and then to the last handler.
func chain(steps []step, last http.Handler) http.Handler {
	for _, step := range slices.Backward(steps) {
		last = step(last)
	}
	return last
}

// strictHTTP answers what http.ServeMux and net/http are lenient with. A path that is not clean is not found: the mux would
// redirect, and repeat what was sent. A body in chunks ends its connection: it may have had a Content-Length beside it,
// which net/http hides, and what follows on the connection may be smuggled (RFC 9112, 6.1).
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

// sdl serves the schema in its definition language.
func sdl(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}
