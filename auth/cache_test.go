package auth_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox/issuer"
)

func TestTokenIsCachedUntilItExpires(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		token := iss.Mint(issuer.Grant{TTL: time.Minute})
		steps := []struct {
			name    string
			advance time.Duration
			want    auth.Reason
			hits    uint64 // total so far
			held    int
		}{
			{"first", 0, "", 0, 1},
			{"again", 0, "", 1, 1},
			{"a second before exp", 59 * time.Second, "", 2, 1},
			{"at exp, within the leeway: verified again", time.Second, "", 2, 0},
			{"still within the leeway", auth.Leeway - time.Second, "", 2, 0},
			{"after the leeway", time.Second, auth.ReasonExpired, 2, 0},
		}
		var first *auth.Identity
		for _, step := range steps {
			time.Sleep(step.advance)
			id, err := authenticate(a, token)
			if reasonOf(t, err) != step.want {
				t.Errorf("%s: %v, want reason %q", step.name, err, step.want)
			}
			if s := a.Stats(); s.CacheHits != step.hits || s.CachedTokens != step.held {
				t.Errorf("%s: %d hits, %d held; want %d and %d", step.name, s.CacheHits, s.CachedTokens, step.hits, step.held)
			}
			if first == nil {
				first = id
			}
			if step.hits == 1 && id != first {
				t.Errorf("%s: a different identity for the same token", step.name)
			}
		}
	})
}

func TestCacheIsBoundedAndKeepsTheMostRecentlyUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		iss, a := start(t)
		big := func() string { return iss.Mint(issuer.Grant{Claims: map[string]any{"pad": strings.Repeat("x", 6000)}}) }
		const held = 3
		auth.LimitCache(a, (held+1)*len(big()))
		reused := big()
		for range 10 {
			expect(t, a, reused, "")
			expect(t, a, big(), "")
			expect(t, a, iss.Mint(issuer.Grant{TTL: -time.Hour}), auth.ReasonExpired)
			expect(t, a, "bad", auth.ReasonMalformed)
		}
		if s := a.Stats(); s.CachedTokens != held || s.CacheHits != 9 {
			t.Errorf("%d tokens held, %d hits; want %d and 9", s.CachedTokens, s.CacheHits, held)
		}
	})
}

// TestOneCallerFillsTheCache: a caller with many tokens evicts its own, and none of another caller.
func TestOneCallerFillsTheCache(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		auth.LimitCache(a, 16<<10)
		other := iss.Mint(issuer.Grant{Subject: "other"})
		expect(t, a, other, "")
		iss.SetDown(true)
		for range 100 {
			expect(t, a, iss.Mint(issuer.Grant{Subject: "many tokens"}), "")
		}
		before := a.Stats()
		expect(t, a, other, "")
		expect(t, a, other, "")
		after := a.Stats()
		if after.CacheHits != before.CacheHits+2 || after.Issuers[iss.URL()].KeyFetches != 1 {
			t.Errorf("%d hits of 2, %d fetches of keys; want 2 and 1", after.CacheHits-before.CacheHits, after.Issuers[iss.URL()].KeyFetches)
		}
	})
}

// TestCallersAreNotMixed: each of many concurrent callers gets its own identity, while keys rotate.
func TestCallersAreNotMixed(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		auth.LimitCache(a, 16<<10)
		var wg sync.WaitGroup
		for n := range 16 {
			wg.Go(func() {
				subject := fmt.Sprintf("caller-%d", n)
				for round := range 20 {
					time.Sleep(cooldown / 4) // for all callers to begin a round at one time
					if n == 0 && round%5 == 4 {
						iss.Rotate(true)
					}
					token := iss.Mint(issuer.Grant{Subject: subject, Scopes: []string{subject}, TTL: 1000 * time.Hour})
					for range 3 {
						id, err := authenticate(a, token)
						// A key created while a fetch was under way may only be known after the next fetch.
						if reason := reasonOf(t, err); reason == auth.ReasonUnknownKey {
							time.Sleep(cooldown)
							continue
						} else if reason != "" {
							t.Error(err)
							return
						}
						if id.Caller() != auth.CallerOf(iss.URL(), subject) || id.Bearer() != token || !id.HasScope(subject) || id.Digest() != sha256.Sum256([]byte(token)) {
							t.Errorf("%s got the identity of %s", subject, id)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		if s := a.Stats(); s.Issuers[iss.URL()].Accepted == 0 || s.CachedTokens == 0 || s.CachedTokens > 16 {
			t.Errorf("%d accepted, %d tokens held", s.Issuers[iss.URL()].Accepted, s.CachedTokens)
		}
	})
}
