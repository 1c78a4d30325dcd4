package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// fetchTimeout bounds one fetch, discovery and keys together, and so the longest time that a request waits for an
// issuer.
const fetchTimeout = 5 * time.Second

const (
	// keyCooldown is the minimum time between two fetches of one issuer's keys, for whatever reason. It bounds how many
	// requests a flood of forged tokens can cause to an issuer. It is also the longest time until a new key is fetched.
	keyCooldown = 10 * time.Second
	// keyMaxAge is the age at which keys are fetched again: how long a withdrawn key may still be trusted.
	keyMaxAge = 15 * time.Minute
)

// maxWaiters bounds the requests that wait for one issuer's keys, at about 30 KiB each with their connection. Forged
// tokens also wait while an issuer hangs. A healthy issuer responds long before that many new tokens arrive.
const maxWaiters = 256

var (
	errCooldown    = errors.New("the last fetch of the issuer's keys was moments ago")
	errManyWaiters = fmt.Errorf("%d requests wait for the issuer's keys", maxWaiters)
)

// keySource has the keys of one issuer. It fetches only when a request needs keys, at most once per cooldown. At most
// one fetch runs at a time, and all requests share it. There is no timer.
//
// It outlives requests.
//
//   - Key: the issuer, from the settings.
//   - Bound: one keySet, and a second one while a fetch runs; maxWaiters waiting requests.
//   - Filled by: the issuer.
//   - Emptied by: the next keySet. While the issuer is unavailable, the former one is kept, for any length of time.
type keySource struct {
	issuer string
	client *http.Client
	log    *slog.Logger
	counts sourceCounters
	life   context.Context // of the Authenticator; parent of fetches, never of requests

	current atomic.Pointer[keySet] // nil until the first fetch that succeeds
	waiting atomic.Int64           // requests that wait for a fetch

	mu        sync.Mutex
	inflight  *fetch
	attempted time.Time // when the last fetch began
	failed    bool      // whether it failed
}

// fetch is one attempt; err may be read once done is closed.
type fetch struct {
	done chan struct{}
	err  error
}

// prove returns the key that verifies a token with this alg and kid. If none does, the keys are fetched again: the
// issuer may have replaced them, also under a former id. Without a newer set, the error is ReasonUnavailable if the id
// is new, since the token may be valid. A signature that fails under a known id is more probably forged.
func (s *keySource) prove(ctx context.Context, alg, kid string, verifies func(*key) bool) (*key, *Error) {
	arrived := time.Now()
	set, refused := s.keys(ctx)
	if refused != nil {
		return nil, refused
	}
	k, reason := set.prove(alg, kid, nil, verifies)
	if k == nil && set.fetched.Before(arrived) {
		err := s.await(ctx, s.refresh())
		former := set
		if set = s.current.Load(); set == former && err != nil && kid != "" && !set.names(kid) {
			return nil, s.unavailable(err)
		}
		k, reason = set.prove(alg, kid, former, verifies)
	}
	if k == nil {
		return nil, &Error{Reason: reason}
	}
	return k, nil
}

// keys returns the current set. Above keyMaxAge it begins a fetch and does not wait for it. Above twice keyMaxAge there
// was no request for a long time, and the request waits for the fetch, so that a key that was withdrawn in the meantime
// is not trusted. It does not wait if the last fetch failed, nor if maxWaiters requests wait already: requests of other
// callers must never cause the rejection of a token whose key is known.
func (s *keySource) keys(ctx context.Context) (*keySet, *Error) {
	set := s.current.Load()
	if set == nil {
		err := s.await(ctx, s.refresh())
		if set = s.current.Load(); set == nil {
			return nil, s.unavailable(err)
		}
		return set, nil
	}
	age := time.Since(set.fetched)
	if age < keyMaxAge {
		return set, nil
	}
	f := s.refresh()
	if f == nil || age < 2*keyMaxAge || s.isFailing() {
		return set, nil
	}
	if err := s.await(ctx, f); ctx.Err() != nil {
		return nil, s.unavailable(err)
	}
	return s.current.Load(), nil
}

func (s *keySource) unavailable(err error) *Error {
	s.counts.unavailable.Add(1)
	return &Error{Reason: ReasonUnavailable, Err: err}
}

// refresh joins the fetch under way or begins one. It returns nil during the cooldown, and after Close.
func (s *keySource) refresh() *fetch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inflight != nil {
		return s.inflight
	}
	now := time.Now()
	since := now.Sub(s.attempted)
	if s.life.Err() != nil || !s.attempted.IsZero() && since >= 0 && since < keyCooldown {
		return nil
	}
	f := &fetch{done: make(chan struct{})}
	s.inflight, s.attempted = f, now
	go s.run(f, now)
	return f
}

// await waits for f until ctx ends, and returns the error of f. If maxWaiters requests wait already it returns
// errManyWaiters immediately, and errCooldown if f is nil.
func (s *keySource) await(ctx context.Context, f *fetch) error {
	if f == nil {
		return errCooldown
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiters {
		return errManyWaiters
	}
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *keySource) isFailing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// run does one fetch, in its own goroutine. fetchKeySet recovers from panics, so the waiting requests are always
// released.
func (s *keySource) run(f *fetch, begun time.Time) {
	ctx, cancel := context.WithTimeout(s.life, fetchTimeout)
	defer cancel()
	former := s.current.Load()
	set, err := fetchKeySet(ctx, s.client, s.issuer, begun, former)

	s.counts.fetches.Add(1)
	switch {
	case err == nil:
		s.current.Store(set)
		if !sameKeys(former, set) {
			s.log.LogAttrs(ctx, slog.LevelInfo, "issuer keys changed",
				slog.String("issuer", s.issuer), slog.Int("keys", len(set.keys)), slog.Int("ignored", len(set.ignored)))
		}
	case s.life.Err() == nil: // not cancelled by Close
		s.counts.failures.Add(1)
		s.log.LogAttrs(ctx, slog.LevelWarn, "issuer keys cannot be fetched",
			slog.String("issuer", s.issuer), slog.String("error", err.Error()), slog.Bool("former_keys_in_use", former != nil))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.inflight, s.failed, f.err = nil, err != nil, err
	close(f.done)
}

func sameKeys(a, b *keySet) bool {
	if a == nil || len(a.keys) != len(b.keys) {
		return false
	}
	for _, k := range a.keys {
		if !b.has(k) {
			return false
		}
	}
	return true
}

// wait waits for the fetch under way. After Close no other one begins.
func (s *keySource) wait() {
	s.mu.Lock()
	f := s.inflight
	s.mu.Unlock()
	if f != nil {
		<-f.done
	}
}
