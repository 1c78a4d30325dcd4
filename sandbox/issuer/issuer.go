// Package issuer is a small OIDC issuer for development and tests.
//
// It does not imitate users, passwords, consent, client secrets, refresh tokens, revocation, introspection, userinfo or
// logout. Any client_id is accepted: a client that registers gets a new one, and nothing about it is stored. It stores
// codes only, for a minute: the caller may keep the key that it signs with (see OpenKey). Every client that can reach
// it gets a token of any persona, so its caller must admit only clients of this machine, and it must sign only for
// sandbox data.
//
// It does implement discovery, dynamic registration of clients, a JWKS, authorization code with PKCE (S256 only),
// signed JWT access tokens, key rotation, and outages on demand, so that a client verifies tokens as in production. The
// contract does not say how tokens are obtained (spec 5, point 4); everything here is our choice.
//
// Read New first, then Mint and Verify.
package issuer

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Paths of the endpoints, below the path of Config.URL.
const (
	PathDiscovery = "/.well-known/openid-configuration"
	PathRegister  = "/register"
	PathJWKS      = "/jwks"
	PathAuthorize = "/authorize"
	PathToken     = "/token"
)

// PathServer is before the path of Config.URL: there OAuth clients that do not know OpenID have the discovery document
// (RFC 8414 section 3.1).
const PathServer = "/.well-known/oauth-authorization-server"

// ScopeDispatcher is the only scope that the spec names (spec 5, point 3).
const ScopeDispatcher = "get_dispatcher"

// Config is the address of the issuer and the audience of its tokens.
type Config struct {
	// URL is the issuer's own base URL, the iss of its tokens: absolute http or https, without query, fragment or
	// trailing slash. Required.
	URL string
	// Aliases are other base URLs of the same issuer, such as those of another name of the host. A client gets the
	// discovery document and the tokens of the URL that it uses; the tokens of all of them are valid.
	Aliases []string
	// Key signs tokens, on the curve P-256; nil is a new key.
	Key *ecdsa.PrivateKey
	// Audience is the aud of a token if its grant sets no audience. Required.
	Audience string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Issuer is an http.Handler that also mints tokens. Its methods are safe for concurrent use.
type Issuer struct {
	urls     []string // Config.URL and Config.Aliases
	audience string
	now      func() time.Time
	mux      *http.ServeMux

	mu        sync.Mutex
	keys      keyRing
	down      bool
	overrides map[string]http.Handler
	requests  map[string]int
	codes     map[string]authorization
}

// New creates an issuer. The RSA key is created on first use, because that can take most of a second. The error names
// the invalid field of Config.
func New(c Config) (*Issuer, error) {
	base, err := pathOf(c.URL)
	if err != nil {
		return nil, fmt.Errorf("issuer: URL %w", err)
	}
	for _, alias := range c.Aliases {
		if path, err := pathOf(alias); err != nil || path != base {
			return nil, errors.New("issuer: Aliases must be base URLs with the path of URL")
		}
	}
	if c.Audience == "" {
		return nil, errors.New("issuer: Audience must not be empty")
	}
	i := &Issuer{
		urls:      append([]string{c.URL}, c.Aliases...),
		audience:  c.Audience,
		now:       c.Now,
		mux:       http.NewServeMux(),
		overrides: make(map[string]http.Handler),
		requests:  make(map[string]int),
		codes:     make(map[string]authorization),
	}
	if i.now == nil {
		i.now = time.Now
	}
	if i.keys.ec = c.Key; c.Key == nil {
		i.keys.rotate(false)
	}
	i.handle(http.MethodGet, base, PathDiscovery, i.serveDiscovery)
	i.handle(http.MethodGet, PathServer, base, i.serveDiscovery)
	i.handle(http.MethodPost, base, PathRegister, i.serveRegister)
	i.handle(http.MethodGet, base, PathJWKS, i.serveJWKS)
	i.handle(http.MethodGet, base, PathAuthorize, i.serveAuthorize)
	i.handle(http.MethodPost, base, PathAuthorize, i.serveAuthorize)
	i.handle(http.MethodPost, base, PathToken, i.serveToken)
	return i, nil
}

// pathOf is the path of a base URL.
func pathOf(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.HasSuffix(base, "/") {
		return "", errors.New("must be an absolute http or https URL without query, fragment or trailing slash")
	}
	return u.Path, nil
}

// URL is the issuer's base URL: the iss of minted tokens, and the issuer that a verifier is configured with.
func (i *Issuer) URL() string { return i.urls[0] }

// URLs are URL and its aliases: the iss of the tokens that the issuer's endpoints return.
func (i *Issuer) URLs() []string { return slices.Clone(i.urls) }

// urlFor is the base URL whose host the client uses, or the first one.
func (i *Issuer) urlFor(r *http.Request) string {
	for _, base := range i.urls {
		if _, rest, _ := strings.Cut(base, "://"); strings.HasPrefix(rest, r.Host+"/") || rest == r.Host {
			return base
		}
	}
	return i.urls[0]
}

// ServeHTTP serves discovery, the JWKS, the authorization page and tokens.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.mux.ServeHTTP(w, r) }

// handle routes one method of an endpoint through the counter, the outage and the overrides.
func (i *Issuer) handle(method, base, path string, h http.HandlerFunc) {
	i.mux.HandleFunc(method+" "+base+path, func(w http.ResponseWriter, r *http.Request) {
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
			h(w, r)
		}
	})
}
