// Package issuer is a small OIDC issuer for development and tests.
//
// It does not imitate users, passwords, consent, clients or client secrets (any
// client_id is accepted), refresh tokens, revocation, introspection, userinfo
// or logout. It stores nothing: its keys are new after each start. Every client
// that can reach it gets a token of any persona, so it must listen on loopback
// and sign only for sandbox data.
//
// It does implement discovery, a JWKS, authorization code with PKCE (S256
// only), signed JWT access tokens, key rotation, and outages on demand, so that
// a client verifies tokens as in production. The contract does not say
// how tokens are obtained (spec 5, point 4); everything here is our choice.
//
// Read New first, then Mint and Verify.
package issuer

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Paths of the endpoints, below the path of Config.URL.
const (
	PathDiscovery = "/.well-known/openid-configuration"
	PathJWKS      = "/jwks"
	PathAuthorize = "/authorize"
	PathToken     = "/token"
)

// ScopeDispatcher is the only scope that the spec names (spec 5, point 3).
const ScopeDispatcher = "get_dispatcher"

// Config is the address of the issuer and the audience of its tokens.
type Config struct {
	// URL is the issuer's own base URL, the iss of its tokens: absolute http or
	// https, without query, fragment or trailing slash. Required.
	URL string
	// Audience is the aud of a token if its grant sets no audience. Required.
	Audience string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Issuer is an http.Handler that also mints tokens. Its methods are safe for concurrent use.
type Issuer struct {
	url      string
	audience string
	now      func() time.Time
	mux      *http.ServeMux
	page     *template.Template

	mu        sync.Mutex
	keys      keyRing
	down      bool
	overrides map[string]http.Handler
	requests  map[string]int
	codes     map[string]authorization
}

// New creates an issuer with a new ES256 key. The RSA key is created on first
// use, because that can take most of a second. The error names the invalid
// field of Config.
func New(c Config) (*Issuer, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.HasSuffix(c.URL, "/") {
		return nil, errors.New("issuer: URL must be an absolute http or https URL without query, fragment or trailing slash")
	}
	if c.Audience == "" {
		return nil, errors.New("issuer: Audience must not be empty")
	}
	i := &Issuer{
		url:       c.URL,
		audience:  c.Audience,
		now:       c.Now,
		mux:       http.NewServeMux(),
		page:      template.Must(template.New("authorize").Parse(pageText)),
		overrides: make(map[string]http.Handler),
		requests:  make(map[string]int),
		codes:     make(map[string]authorization),
	}
	if i.now == nil {
		i.now = time.Now
	}
	i.keys.rotate(false)
	i.handle(u.Path, PathDiscovery, crossOrigin(http.MethodGet, i.serveDiscovery))
	i.handle(u.Path, PathJWKS, crossOrigin(http.MethodGet, i.serveJWKS))
	i.handle(u.Path, PathAuthorize, http.HandlerFunc(i.serveAuthorize))
	i.handle(u.Path, PathToken, crossOrigin(http.MethodPost, i.serveToken))
	return i, nil
}

// URL is the issuer's base URL: the iss of its tokens, and the issuer that a verifier is configured with.
func (i *Issuer) URL() string { return i.url }

// Audience is the aud of a token if its grant sets no audience.
func (i *Issuer) Audience() string { return i.audience }

// ServeHTTP serves discovery, the JWKS, the authorization page and tokens.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.mux.ServeHTTP(w, r) }

// handle routes one endpoint through the counter, the outage and the overrides.
// Each endpoint checks its methods itself.
func (i *Issuer) handle(base, path string, h http.Handler) {
	i.mux.HandleFunc(base+path, func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		i.requests[path]++
		down, override := i.down, i.overrides[path]
		i.mu.Unlock()
		switch {
		case down:
			http.Error(w, "the issuer is down on demand", http.StatusServiceUnavailable)
		case override != nil:
			override.ServeHTTP(w, r)
		default:
			h.ServeHTTP(w, r)
		}
	})
}
