// Package auth turns the bearer token of a request into a verified Identity (spec 5).
//
// It knows net/http, JOSE and OIDC discovery. It knows nothing of GraphQL, of the names of scopes, or of the APIs that
// the token is for. It does not obtain tokens and keeps no sessions. Tokens never appear in its errors, logs or
// formatted values.
//
// Read Authenticator.Authenticate first, then verifier.verify.
package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pixgraph/internal/distinct"
)

// Authenticator verifies bearer tokens. It is safe for concurrent use, and must be closed.
//
// The cache, the accepted tokens, each keySource and a counter for each Reason outlive a request, and the idle
// connections of client: two for each host of an issuer, closed after 90 s without use.
type Authenticator struct {
	mode     Mode
	binding  Binding
	verifier *verifier
	cache    *cache[*verified]
	accepted *cache[struct{}]
	sources  map[string]*keySource // by issuer; empty in forward mode
	signIn   *keySource            // of Config.SignIn, which is one of sources unless in forward mode; nil for none
	client   *http.Client
	counts   *counters
	stop     context.CancelFunc
}

// New checks the settings and builds an Authenticator. It does no I/O: keys are fetched by Start, or by the first
// token. Its error names the invalid setting and the values that the setting accepts.
func New(c Config) (*Authenticator, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	life, stop := context.WithCancel(context.Background())
	a := &Authenticator{
		mode:     c.Mode,
		binding:  c.Binding,
		cache:    newCache(cacheBytes),
		accepted: newAccepted(),
		sources:  make(map[string]*keySource, len(c.Issuers)),
		client:   withoutRedirects(c.Transport),
		counts:   newCounters(),
		stop:     stop,
	}
	open := func(issuer string) *keySource {
		return &keySource{issuer: issuer, client: a.client, log: c.Log, counts: sourceCounters{callers: distinct.New()}, life: life}
	}
	for _, issuer := range c.Issuers {
		a.sources[issuer] = open(issuer)
	}
	if a.signIn = a.sources[c.SignIn]; a.signIn == nil && c.SignIn != "" {
		a.signIn = open(c.SignIn)
	}
	a.verifier = newVerifier(a.sources, c)
	return a, nil
}

// Start begins to fetch the keys of every issuer in the background and returns immediately. When ctx ends, fetches
// under way are cancelled and no further fetch begins. The owner then waits for them with Close.
func (a *Authenticator) Start(ctx context.Context) {
	context.AfterFunc(ctx, a.stop)
	for _, s := range a.sources {
		s.refresh()
	}
}

// Close cancels the fetches under way, waits for them to end and closes idle connections. Tokens that need no fetch are
// still verified after Close.
func (a *Authenticator) Close() {
	a.stop()
	for _, s := range a.sources {
		s.wait()
	}
	if a.signIn != nil {
		a.signIn.wait()
	}
	a.client.CloseIdleConnections()
}

// Verifies reports whether tokens are verified, so that a caller is the same with another token: not in forward mode.
func (a *Authenticator) Verifies() bool { return a.mode != ModeForward }

// Ready returns nil once the keys of an issuer have been fetched; in forward mode always. The callers of the other
// issuers, which Missing returns, must not keep the gateway from serving the rest. Ready triggers another fetch of keys
// that are missing or could not be renewed, when the cooldown is over. So a service that waits to become ready needs no
// traffic.
func (a *Authenticator) Ready() error {
	missing := a.Missing()
	for _, s := range a.sources {
		if s.current.Load() == nil || s.isFailing() {
			s.refresh()
		}
	}
	if len(missing) > 0 && len(missing) == len(a.sources) {
		return fmt.Errorf("auth: no keys yet of issuer %s", strings.Join(missing, ", "))
	}
	return nil
}

// Missing returns the issuers whose keys have not been fetched yet.
func (a *Authenticator) Missing() (issuers []string) {
	for issuer, s := range a.sources {
		if s.current.Load() == nil {
			issuers = append(issuers, issuer)
		}
	}
	slices.Sort(issuers)
	return issuers
}

// Authenticate verifies the bearer token of r. It uses the cached result if the token was verified before. Whether a
// token that is bound to a client certificate came with it is checked each time, in r.TLS. It waits for the keys of an
// issuer if it must, until r's context ends. Its error is always an *Error.
//
// In forward mode it checks only the form of the header (RFC 6750 section 2.1). The APIs verify the token, which may be
// opaque to the gateway.
func (a *Authenticator) Authenticate(r *http.Request) (*Identity, error) {
	id, err := a.authenticate(r)
	if err != nil {
		a.counts.refuse(err.Reason)
		return nil, err
	}
	if a.mode == ModeForward {
		a.counts.forwarded.Add(1)
		return id, nil
	}
	counts := &a.sources[id.issuer].counts
	counts.accepted.Add(1)
	counts.callers.Add(id.caller, true)
	return id, nil
}

func (a *Authenticator) authenticate(r *http.Request) (*Identity, *Error) {
	token, err := bearer(r.Header)
	if err != nil {
		return nil, err
	}
	digest := digestOf(token)
	if a.mode == ModeForward {
		return newForwarded(token, digest, a.accepted), nil
	}
	v, err := a.verify(r.Context(), token, digest)
	if err != nil {
		return nil, err
	}
	if a.binding != BindingProxy {
		if err := v.bound.check(r.TLS); err != nil {
			return nil, err
		}
	}
	return v.identity, nil
}

// verify verifies what does not depend on the connection, and caches it.
func (a *Authenticator) verify(ctx context.Context, token string, digest [sha256.Size]byte) (*verified, *Error) {
	now := time.Now()
	if v, ok := a.cache.get(digest); ok {
		set, err := v.source.keys(ctx)
		if err != nil {
			return nil, err
		}
		if now.Before(v.identity.expiry) && set.has(v.key) {
			a.counts.cacheHits.Add(1)
			return v, nil
		}
		a.cache.remove(digest)
	}
	v, err := a.verifier.verify(ctx, strings.Clone(token), digest)
	if err != nil {
		return nil, err
	}
	if now.Before(v.identity.expiry) { // a token in the leeway after exp is not cached
		a.cache.add(v.identity.caller, digest, v)
	}
	return v, nil
}

// digestOf returns the SHA-256 of a token. It does not allocate for tokens of the usual length.
func digestOf(token string) [sha256.Size]byte {
	var buffer [2048]byte
	return sha256.Sum256(append(buffer[:0], token...))
}
