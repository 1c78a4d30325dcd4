package auth_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox/issuer"
)

const (
	cooldown = auth.KeyCooldown
	maxAge   = auth.KeyMaxAge
)

// mintLong returns a token that does not expire during a test.
func mintLong(iss *issuer.Issuer) string {
	return iss.Mint(issuer.Grant{TTL: 1000 * time.Hour})
}

// unknownKid returns a token whose refusal needs a fetch of keys. Its verification joins a fetch under way, so no fetch
// is under way after it.
func unknownKid(iss *issuer.Issuer) string {
	return iss.Sign(map[string]any{"kid": "unknown"}, map[string]any{
		"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": 9999999999,
	})
}

// expect authenticates a token. The name is that of a row of a table.
func expect(t *testing.T, a *auth.Authenticator, token string, want auth.Reason, name ...string) {
	t.Helper()
	if _, err := authenticate(a, token); reasonOf(t, err) != want {
		t.Errorf("%s: err = %v, want reason %q", name, err, want)
	}
}

func expectFetches(t *testing.T, iss *issuer.Issuer, want int) {
	t.Helper()
	if n := iss.JWKSFetches(); n != want {
		t.Errorf("%d fetches of keys, want %d", n, want)
	}
}

func TestStartFetchesKeys(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		if err := a.Ready(); err == nil || !strings.Contains(err.Error(), iss.URL()) {
			t.Errorf("Ready before Start = %v, want an error that names the issuer", err)
		}
		a.Start(t.Context())
		expect(t, a, mintLong(iss), "")
		if err := a.Ready(); err != nil {
			t.Errorf("Ready = %v", err)
		}
		expectFetches(t, iss, 1)
	})
}

func TestUnknownKeyIDsFetchOncePerCooldown(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		good := mintLong(iss)
		expect(t, a, good, "")

		const requests = 40
		flood := func(want auth.Reason) { collect(t, flood(a, unknownKid(iss), requests), requests, want) }
		flood(auth.ReasonUnknownKey)
		expectFetches(t, iss, 1)
		time.Sleep(cooldown - 1)
		flood(auth.ReasonUnavailable) // the issuer may have new keys
		expectFetches(t, iss, 1)
		time.Sleep(time.Nanosecond)
		flood(auth.ReasonUnknownKey)
		expectFetches(t, iss, 2)
		expect(t, a, good, "")
		if s := a.Stats(); s.CachedTokens != 1 || s.Refused[auth.ReasonUnknownKey] != 2*requests {
			t.Errorf("%d tokens cached, %d refused; want 1 and %d", s.CachedTokens, s.Refused[auth.ReasonUnknownKey], 2*requests)
		}
	})
}

func TestRotation(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		old := mintLong(iss)
		expect(t, a, old, "")

		iss.Rotate(true)
		time.Sleep(cooldown)
		expect(t, a, mintLong(iss), "")
		expectFetches(t, iss, 2)
		before := a.Stats().CacheHits
		expect(t, a, old, "")
		if a.Stats().CacheHits != before+1 {
			t.Error("a token whose key is still published was not in the cache")
		}

		iss.Rotate(false)
		time.Sleep(cooldown)
		expect(t, a, mintLong(iss), "")
		expect(t, a, old, auth.ReasonUnknownKey)
		expectFetches(t, iss, 3)
	})
}

// TestWithdrawnKeyAfterMaxAge: a withdrawn key is trusted until the keys reach maxAge, even if no token with a new key
// arrives.
func TestWithdrawnKeyAfterMaxAge(t *testing.T) {
	tests := []struct {
		name  string
		idle  time.Duration
		first auth.Reason // for the first token after idle
	}{
		{"in use: fetched in the background of the first request", maxAge, ""},
		{"idle for a long time: the first request waits", 2 * maxAge, auth.ReasonUnknownKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
				old := mintLong(iss)
				expect(t, a, old, "")
				iss.Rotate(false)
				time.Sleep(maxAge - 1)
				expect(t, a, old, "")
				expectFetches(t, iss, 1)

				release := func() {}
				if tt.first == "" { // to show that the request does not wait for the fetch
					release = hang(t, iss)
				}
				time.Sleep(tt.idle - maxAge + 1)
				expect(t, a, old, tt.first)
				synctest.Wait()
				if n := iss.Requests(issuer.PathDiscovery); n != 2 {
					t.Errorf("%d fetches have begun, want 2", n)
				}
				release()
				expect(t, a, unknownKid(iss), auth.ReasonUnknownKey) // the fetch has ended
				expect(t, a, old, auth.ReasonUnknownKey)
				expectFetches(t, iss, 2)
			})
		})
	}
}

// TestCancelledWaiterDoesNotAffectOthers: a fetch continues if the request that began it is cancelled.
func TestCancelledWaiterDoesNotAffectOthers(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		release := hang(t, iss)
		token := mintLong(iss)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.Authenticate(request("Bearer " + token).WithContext(ctx)); !errors.Is(err, context.Canceled) ||
			reasonOf(t, err) != auth.ReasonUnavailable {
			t.Errorf("the cancelled request: %v", err)
		}
		others := flood(a, token, 4)
		synctest.Wait() // for all of them to wait
		release()
		collect(t, others, 4, "")
		expectFetches(t, iss, 1)
	})
}

func TestCloseCancelsFetches(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		arrived := make(chan struct{})
		iss.Override(issuer.PathDiscovery, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
		}))
		a.Start(t.Context())
		<-arrived
		a.Close()
		expect(t, a, mintLong(iss), auth.ReasonUnavailable)
		if n := iss.Requests(issuer.PathDiscovery); n != 1 {
			t.Errorf("%d requests, want none after Close", n)
		}
	})
}

// restarted is an issuer that has replaced its key under the same id.
type restarted struct {
	*issuer.Issuer
	kid string
}

func restart(t *testing.T, iss *issuer.Issuer) restarted {
	t.Helper()
	r := restarted{iss, iss.KeySet().Keys[0].KeyID}
	iss.Rotate(false)
	set := iss.KeySet()
	set.Keys[0].KeyID = r.kid
	text, err := json.Marshal(set)
	must(t, err)
	iss.Override(issuer.PathJWKS, body(string(text)))
	return r
}

func (r restarted) mint() string {
	return r.Sign(map[string]any{"kid": r.kid}, map[string]any{
		"iss": r.URL(), "sub": "s", "aud": testAudience, "exp": 9999999999, "jti": rand.Text(),
	})
}

// forged returns a token of another key, with the id.
func (r restarted) forged(t *testing.T) string {
	t.Helper()
	other, err := issuer.New(issuer.Config{URL: r.URL(), Audience: testAudience})
	must(t, err)
	return restarted{other, r.kid}.mint()
}

// TestAnotherKeyWithTheSameID: after an issuer has replaced its key under the same id, the first token of the new key
// is accepted, and tokens of the former key are refused, also those in the cache.
func TestAnotherKeyWithTheSameID(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		old := mintLong(iss)
		expect(t, a, old, "")
		time.Sleep(cooldown)
		now := restart(t, iss)
		expect(t, a, old, "") // nobody knows yet
		collect(t, flood(a, now.mint(), 20), 20, "")
		expect(t, a, old, auth.ReasonSignature)
		if n := iss.Requests(issuer.PathDiscovery); n != 2 {
			t.Errorf("%d fetches, want 2", n)
		}
	})
}

// TestForgedSignatures: whatever a caller forges under the id of a key, the issuer is asked once in a cooldown, the
// tokens of others are accepted meanwhile, also while the issuer hangs, and those of a new key after the next fetch.
func TestForgedSignatures(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		good, forged := mintLong(iss), restarted{iss, iss.KeySet().Keys[0].KeyID}.forged(t)
		expect(t, a, good, "")
		for n := 2; n < 5; n++ {
			time.Sleep(cooldown - 1)
			collect(t, flood(a, forged, 40), 40, auth.ReasonSignature)
			time.Sleep(time.Nanosecond)
			collect(t, flood(a, forged, 40), 40, auth.ReasonSignature)
			expectFetches(t, iss, n)
		}
		time.Sleep(cooldown)
		release := hang(t, iss)
		results := flood(a, forged, auth.MaxWaiters+1)
		collect(t, results, 1, auth.ReasonSignature)
		expect(t, a, good, "")
		expect(t, a, mintLong(iss), "")
		release()
		collect(t, results, auth.MaxWaiters, auth.ReasonSignature)

		now := restart(t, iss)
		expect(t, a, now.mint(), auth.ReasonSignature) // in the cooldown
		time.Sleep(cooldown)
		expect(t, a, now.mint(), "")
		iss.SetDown(true)
		time.Sleep(cooldown)
		expect(t, a, forged, auth.ReasonSignature)
		expect(t, a, now.mint(), "")
	})
}
