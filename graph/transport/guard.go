package transport

import (
	"context"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// GuardConfig says which other sites may use the gateway from a browser. Its zero value allows none.
type GuardConfig struct {
	// Origins are the origins, such as "https://app.example.com", whose pages may send requests and read the answers:
	// compared exactly, default ports left out. "*" alone stands for every origin: any page then may use a token that it
	// has itself. A browser never adds credentials of its own, since they are not allowed and cookies are never read.
	Origins []string

	// Present makes the public form of a refusal, which is an *apierror.Error; as Config.Present.
	Present func(context.Context, error) *gqlerror.Error
}

// Guard keeps pages of other sites from using a caller's browser. It goes around the endpoint, before authentication: the
// browser's questions (preflights) have no token.
type Guard struct {
	present func(context.Context, error) *gqlerror.Error
	cors    cors
}

// NewGuard returns a guard, or an error that names the origin that is none.
func NewGuard(config GuardConfig) (*Guard, error) {
	cors, err := newCORS(config.Origins)
	if err != nil {
		return nil, err
	}
	if config.Present == nil {
		config.Present = present
	}
	return &Guard{config.Present, cors}, nil
}

// Protect answers OPTIONS, refuses what a page of another site could send without asking first, and sets the header that
// lets the pages of allowed origins read the answer.
func (g *Guard) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.cors.allow(w.Header(), r)
		switch {
		case r.Method == http.MethodOptions:
			g.cors.preflight(w, r)
		case simple(r):
			WriteError(w, r, errCrossSite, g.present(r.Context(), errCrossSite))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// simple reports whether a form or a script of another site can make a browser send a POST like this one without a
// preflight: no header but those that every page may set (Fetch, "CORS-safelisted"). A GET is not refused here: what it asks
// for is read with the token that it carries, which is a header that needs a preflight, and without one it is a 401.
func simple(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	for _, name := range [...]string{
		"Authorization", "Graphql-Require-Preflight", "Apollo-Require-Preflight", "X-Apollo-Operation-Name",
	} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return !isJSON(r.Header["Content-Type"])
}
