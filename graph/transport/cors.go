package transport

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// CORS lets the pages of allowed origins use the gateway from a browser (Fetch, section "CORS protocol").
//
// It does not keep the pages of other origins from sending requests, and need not: an operation runs only with a bearer token
// in the Authorization header. A browser adds none by itself, and a page that sets one causes a preflight.
type CORS struct {
	origins map[string]bool
	every   bool
}

// NewCORS returns the CORS of origins, such as "https://app.example.com", whose pages may send requests and read the answers:
// compared exactly, default ports left out. "*" alone stands for every origin: any page then may use a token that it has
// itself. Its error names an origin that can never match.
func NewCORS(origins []string) (CORS, error) {
	c := CORS{origins: map[string]bool{}}
	for _, origin := range origins {
		if origin == "*" && len(origins) == 1 {
			return CORS{every: true}, nil
		}
		if err := checkOrigin(origin); err != nil {
			return CORS{}, err
		}
		c.origins[origin] = true
	}
	return c, nil
}

// Handler answers OPTIONS, and sets the header that lets the pages of allowed origins read the answers of the next handler. It
// goes around authentication, since preflights have no token.
func (c CORS) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.allow(w.Header(), r)
		if r.Method == http.MethodOptions {
			c.preflight(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// originForm is an origin as browsers send it, of a host or an address with an optional port.
var originForm = regexp.MustCompile(`^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

func checkOrigin(origin string) error {
	if origin == "*" {
		return fmt.Errorf("origin %q has to be the only one", origin)
	}
	defaultPort := strings.HasPrefix(origin, "http:") && strings.HasSuffix(origin, ":80") ||
		strings.HasPrefix(origin, "https:") && strings.HasSuffix(origin, ":443")
	if !originForm.MatchString(origin) || defaultPort {
		return fmt.Errorf("origin %q is not of the form https://host or https://host:port, in lower case and without a default port", origin)
	}
	return nil
}

// The lists of a preflight's answer.
const (
	corsMethods = "GET, POST"
	// corsHeaders are those that a client of ours may send: what we read, and what GraphQL clients add by themselves.
	corsHeaders = "Authorization, Content-Type, GraphQL-Require-Preflight, Apollo-Require-Preflight, " +
		"X-Apollo-Operation-Name, ApolloGraphQL-Client-Name, ApolloGraphQL-Client-Version, " +
		"X-Request-Id, Traceparent, X-Pixgraph-Cost, X-Pixgraph-Timeout, X-Pixgraph-Trace"
	// corsExposed are those of an answer that a script may read.
	corsExposed = "X-Request-Id, Retry-After, WWW-Authenticate"
	// corsMaxAge is how long a browser may remember, in seconds: the most that Chromium does.
	corsMaxAge = "7200"
)

// allow lets the page that sent a request read the answer, when its origin is allowed. Without any allowed origin no
// header of CORS is ever set.
func (c CORS) allow(header http.Header, r *http.Request) {
	switch {
	case c.every:
		header.Set("Access-Control-Allow-Origin", "*")
	case len(c.origins) == 0:
		return
	default:
		header.Add("Vary", "Origin")
		origins := r.Header["Origin"]
		if len(origins) != 1 || !c.origins[origins[0]] {
			return
		}
		header.Set("Access-Control-Allow-Origin", origins[0])
	}
	header.Set("Access-Control-Expose-Headers", corsExposed)
}

// preflight answers OPTIONS: 204, with what is allowed to the origin, when it is anything.
func (c CORS) preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Allow", "GET, POST, OPTIONS")
	header.Set("Cache-Control", "no-store")
	header.Del("Access-Control-Expose-Headers")
	if c.every || len(c.origins) > 0 {
		header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	}
	if header.Get("Access-Control-Allow-Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" {
		header.Set("Access-Control-Allow-Methods", corsMethods)
		header.Set("Access-Control-Allow-Headers", corsHeaders)
		header.Set("Access-Control-Max-Age", corsMaxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}
