// Package cors lets pages of allowed origins use the gateway from a browser (Fetch, section "CORS protocol"), and logs
// why a page cannot. It knows nothing of GraphQL.
//
// Read New and CORS.Answer first.
package cors

import (
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// CORS is a step of a request. It does not block requests from pages of other origins, and need not: an operation
// requires a bearer token in the Authorization header. A browser does not add one on its own, and a page that sets the
// header causes a preflight.
type CORS struct {
	origins map[string]bool
	every   bool
	log     *refusals
}

// Config configures CORS. The zero value allows no page of another origin.
type Config struct {
	// Origins are the origins, such as "https://app.example.com", whose pages may send requests and read responses.
	// They are compared exactly, without default ports; the port * is every port. "*" alone allows every origin: any
	// page may then use a token that it has.
	Origins []string
	// Log reports pages that cannot use the gateway; nil for none.
	Log *slog.Logger
}

// New returns the CORS for a configuration. It rejects origins that can never match with an *OriginError.
func New(config Config) (CORS, error) {
	c := CORS{origins: map[string]bool{}, log: &refusals{log: config.Log}}
	if config.Log == nil {
		c.log.log = slog.New(slog.DiscardHandler)
	}
	for _, origin := range config.Origins {
		if c.every = origin == "*" && len(config.Origins) == 1; c.every {
			break
		}
		if !validOrigin(origin) {
			return CORS{}, &OriginError{originIn(origin)}
		}
		c.origins[origin] = true
	}
	return c, nil
}

// Answer responds to OPTIONS, and reports whether it did. It sets the headers that allow pages of allowed origins to
// read the response. It must run before authentication, since preflights have no token.
func (c CORS) Answer(w http.ResponseWriter, r *http.Request) (answered bool) {
	if c.allow(w.Header(), r); r.Method == http.MethodOptions {
		c.preflight(w, r)
		return true
	}
	return false
}

// originForm matches an origin as browsers send it: a host or an address, with an optional port.
var originForm = regexp.MustCompile(`^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:([0-9]{1,5}|\*))?$`)

func validOrigin(origin string) bool {
	defaultPort := strings.HasPrefix(origin, "http:") && strings.HasSuffix(origin, ":80") ||
		strings.HasPrefix(origin, "https:") && strings.HasSuffix(origin, ":443")
	return originForm.MatchString(origin) && !defaultPort
}

// OriginError says that a text is not an origin.
type OriginError struct{ Meant string } // the origin of the URL that the text is; "" for another text

// Error implements error.
func (e *OriginError) Error() string {
	if e.Meant == "" {
		return "an origin must be https://host or https://host:port, in lower case and without a default port; or * alone"
	}
	return "an origin must be " + e.Meant + ", without a slash or path after it, in lower case and without a default port"
}

// originIn returns the origin of a URL, or "" if the text is no http or https URL.
func originIn(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User != nil {
		return ""
	}
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		origin = strings.TrimSuffix(origin, ":"+port)
	}
	if !validOrigin(origin) {
		return ""
	}
	return origin
}

// The values of a preflight's response.
const (
	methods = "GET, HEAD, POST"
	// exposed are the response headers that a script may read.
	exposed = "X-Request-Id, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, Content-Disposition, X-Pixgraph-Total"
	// maxAge is how long a browser may cache a preflight, in seconds: Chromium's maximum.
	maxAge = "7200"
)

// headersForm matches the list of header names in a preflight, without characters that no header has in practice.
var headersForm = regexp.MustCompile(`^[A-Za-z0-9_, -]{1,1000}$`)

// allow sets the headers that let a page read the response if its origin is allowed. Without allowed origins it sets no
// CORS headers.
func (c CORS) allow(header http.Header, r *http.Request) {
	origins := r.Header["Origin"]
	if !c.every && len(c.origins) > 0 {
		header.Add("Vary", "Origin")
	}
	switch {
	case c.every:
		header.Set("Access-Control-Allow-Origin", "*")
	case len(origins) != 1:
		return
	case c.origins[origins[0]] || c.origins[anyPort(origins[0])]:
		header.Set("Access-Control-Allow-Origin", origins[0])
	default:
		c.log.add(r, origins[0])
		return
	}
	header.Set("Access-Control-Expose-Headers", exposed)
}

// Allows reports whether the pages of a request's origin may use the gateway: allow sets the headers for them.
func (c CORS) Allows(r *http.Request) bool {
	header := http.Header{}
	c.allow(header, r)
	return header.Get("Access-Control-Allow-Origin") != ""
}

// anyPort returns the origin with the port *. It does not check the form of the origin, which the configured ones have:
// a client can send 60 KiB, for which the regular expression takes a millisecond.
func anyPort(origin string) string {
	if colon := strings.LastIndexByte(origin, ':'); colon >= 0 {
		if _, err := strconv.ParseUint(origin[colon+1:], 10, 16); err == nil {
			origin = origin[:colon]
		}
	}
	return origin + ":*"
}

// preflight responds to OPTIONS: 204, with the allowed methods and the requested headers if the origin is allowed. Its
// pages may send any header, such as those of error trackers: the gateway trusts none because a page could not send it.
func (c CORS) preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Allow", "GET, HEAD, POST, OPTIONS")
	header.Set("Cache-Control", "no-store")
	header.Del("Access-Control-Expose-Headers")
	if c.every || len(c.origins) > 0 {
		header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	}
	if header.Get("Access-Control-Allow-Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" {
		header.Set("Access-Control-Allow-Methods", methods)
		header.Set("Access-Control-Max-Age", maxAge)
		if requested := strings.Join(r.Header["Access-Control-Request-Headers"], ", "); headersForm.MatchString(requested) {
			header.Set("Access-Control-Allow-Headers", requested)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
