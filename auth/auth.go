// Package auth turns the bearer token of a request into a verified Identity
// (spec 5).
//
// It knows net/http, JOSE and OIDC discovery; it knows no GraphQL, no scope by
// name and nothing of the APIs that the token is for. It obtains no tokens and
// keeps no sessions. Tokens appear in none of its errors, logs or formatted
// values.
//
// Read Authenticator.Authenticate first, then verifier.verify.
package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Authenticator verifies bearer tokens. It is safe for use by many goroutines
// at once, and must be closed.
//
// Four things of it outlive a request, each bounded: the cache and the keys of
// each issuer (see cache and keySource), a counter for each Reason, and the idle
// connections of client, which only fetches of keys open: two for each host of
// an issuer, closed when they were idle for 90 s.
type Authenticator struct {
	mode     Mode
	verifier *verifier
	cache    *cache
	sources  map[string]*keySource // by issuer; empty in forward mode
	client   *http.Client
	now      func() time.Time
	counts   *counters
	stop     context.CancelFunc
	fetching sync.WaitGroup
}

// New checks the settings and builds an Authenticator. It does no I/O: keys
// are fetched by Start, or by the first token. Its error names the setting
// that is wrong and says what that takes.
func New(c Config) (*Authenticator, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	life, stop := context.WithCancel(context.Background())
	a := &Authenticator{
		mode:    c.Mode,
		cache:   newCache(c.CacheBytes),
		sources: make(map[string]*keySource, len(c.Issuers)),
		client:  withoutRedirects(c.HTTPClient),
		now:     c.Now,
		counts:  newCounters(),
		stop:    stop,
	}
	for _, issuer := range c.Issuers {
		a.sources[issuer] = &keySource{
			issuer:   issuer,
			client:   a.client,
			now:      c.Now,
			cooldown: c.KeyCooldown,
			maxAge:   c.KeyMaxAge,
			log:      c.Log,
			counts:   a.counts,
			life:     life,
			fetching: &a.fetching,
		}
	}
	a.verifier = &verifier{
		sources:    a.sources,
		algorithms: signatureAlgorithms(c.Algorithms), algorithmNames: c.Algorithms,
		audiences: c.Audiences,
		leeway:    c.Leeway,
		now:       c.Now,
	}
	return a, nil
}

// Start begins to fetch the keys of every issuer in the background and
// returns at once. When ctx ends, fetches under way are given up and no other
// begins; the owner then waits for them with Close.
func (a *Authenticator) Start(ctx context.Context) {
	context.AfterFunc(ctx, a.stop)
	for _, s := range a.sources {
		s.refresh()
	}
}

// Close gives up the fetches under way, waits for them to end and lets go of
// idle connections. Tokens that need no fetch are verified even after it.
func (a *Authenticator) Close() {
	a.stop()
	for _, s := range a.sources {
		s.close()
	}
	a.fetching.Wait()
	a.client.CloseIdleConnections()
}

// Ready returns nil when every issuer's keys have been had at least once; in
// forward mode always. Otherwise its error names one issuer without, whose
// keys it makes sure are asked for again once the cooldown is over: a service
// that waits to become ready needs no traffic to do so.
func (a *Authenticator) Ready() error {
	var err error
	for issuer, s := range a.sources {
		if s.current.Load() == nil {
			s.refresh()
			err = fmt.Errorf("auth: no keys yet of issuer %s", issuer)
		}
	}
	return err
}

// Authenticate verifies the bearer token of r, from memory if it has been seen
// before, and waits for an issuer's keys if it must, no longer than r's
// context. Its error is always an *Error.
//
// In forward mode it checks the form of the header only (RFC 6750 section
// 2.1): the APIs behind decide, and what they call a JWT may be opaque to us.
func (a *Authenticator) Authenticate(r *http.Request) (*Identity, error) {
	id, err := a.authenticate(r)
	if err != nil {
		a.counts.refuse(err.Reason)
		return nil, err
	}
	a.counts.accepted.Add(1)
	return id, nil
}

func (a *Authenticator) authenticate(r *http.Request) (*Identity, *Error) {
	token, err := bearer(r.Header)
	if err != nil {
		return nil, err
	}
	digest := digestOf(token)
	if a.mode == ModeForward {
		return newForwarded(token, digest), nil
	}
	now := a.now()
	if v, ok := a.cache.get(digest); ok {
		set, err := v.source.keys(r.Context())
		if err != nil {
			return nil, err
		}
		if now.Before(v.identity.expiry) && set.has(v.key) {
			a.counts.cacheHits.Add(1)
			return v.identity, nil
		}
		a.cache.remove(digest)
	}
	v, err := a.verifier.verify(r.Context(), strings.Clone(token), digest)
	if err != nil {
		return nil, err
	}
	if now.Before(v.identity.expiry) { // not in the leeway after exp
		a.cache.add(digest, v)
	}
	return v.identity, nil
}

// digestOf is the SHA-256 of a token, without an allocation for those of usual
// length.
func digestOf(token string) [sha256.Size]byte {
	var buffer [2048]byte
	return sha256.Sum256(append(buffer[:0], token...))
}
