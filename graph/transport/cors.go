package transport

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// CORS lets the pages of allowed origins use the gateway from a browser (Fetch, section "CORS protocol").
//
// It does not block requests from pages of other origins, and need not: an operation requires a bearer token in the
// Authorization header. A browser does not add one on its own, and a page that sets the header causes a preflight.
type CORS struct {
	origins map[string]bool
	every   bool
}

// NewCORS returns the CORS for origins, such as "https://app.example.com", whose pages may send requests and read
// responses. Origins are compared exactly, without default ports; the port * is every port. "*" alone allows every origin: any page may then use
// a token that it has. The error names an origin that can never match.
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

// Handler responds to OPTIONS, and sets the headers that allow pages of allowed origins to read the responses of next.
// It must run before authentication, since preflights have no token.
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

// originForm matches an origin as browsers send it: a host or an address, with an optional port.
var originForm = regexp.MustCompile(`^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:([0-9]{1,5}|\*))?$`)

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

// The values of a preflight's response.
const (
	corsMethods = "GET, POST"
	// corsHeaders are the request headers that a client may send: those that the gateway reads, and those that GraphQL
	// clients add.
	corsHeaders = "Authorization, Content-Type, GraphQL-Require-Preflight, Apollo-Require-Preflight, " +
		"X-Apollo-Operation-Name, ApolloGraphQL-Client-Name, ApolloGraphQL-Client-Version, " +
		"X-Request-Id, Traceparent, X-Pixgraph-Cost, X-Pixgraph-Timeout, X-Pixgraph-Trace"
	// corsExposed are the response headers that a script may read.
	corsExposed = "X-Request-Id, Retry-After, WWW-Authenticate"
	// corsMaxAge is how long a browser may cache a preflight, in seconds: Chromium's maximum.
	corsMaxAge = "7200"
)

// allow sets the headers that let a page read the response if its origin is allowed. Without allowed origins it sets no
// CORS headers.
func (c CORS) allow(header http.Header, r *http.Request) {
	switch {
	case c.every:
		header.Set("Access-Control-Allow-Origin", "*")
	case len(c.origins) == 0:
		return
	default:
		header.Add("Vary", "Origin")
		origins := r.Header["Origin"]
		if len(origins) != 1 || !c.origins[origins[0]] && !c.origins[anyPort(origins[0])] {
			return
		}
		header.Set("Access-Control-Allow-Origin", origins[0])
	}
	header.Set("Access-Control-Expose-Headers", corsExposed)
}

// anyPort returns the origin with the port *, or "" if browsers do not send such an origin.
func anyPort(origin string) string {
	port := originForm.FindStringSubmatchIndex(origin)
	if port == nil {
		return ""
	}
	return origin[:port[3]] + ":*" // after the host
}

// preflight responds to OPTIONS: 204, with the allowed methods and headers if the origin is allowed.
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
