package auth_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/upstream/sandbox/issuer"
)

const (
	cooldown = 10 * time.Second
	maxAge   = 15 * time.Minute
)

func keyTimes(c *auth.Config) { c.KeyCooldown, c.KeyMaxAge = cooldown, maxAge }

// mintLong gives a token that outlives every test.
func mintLong(iss *issuer.Issuer) string {
	return iss.Mint(issuer.Grant{TTL: 1000 * time.Hour})
}

// unknownKid gives a token that only a fetch of keys can tell to be bad. It
// joins the fetch under way, so that after it none is.
func unknownKid(iss *issuer.Issuer) string {
	return iss.Sign(map[string]any{"kid": "nobody"}, map[string]any{
		"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": 9999999999,
	})
}

func expect(t *testing.T, a *auth.Authenticator, token string, want auth.Reason) {
	t.Helper()
	if _, err := authenticate(a, token); reasonOf(t, err) != want {
		t.Errorf("err = %v, want reason %q", err, want)
	}
}

func expectFetches(t *testing.T, iss *issuer.Issuer, want int) {
	t.Helper()
	if n := iss.JWKSFetches(); n != want {
		t.Errorf("%d fetches of keys, want %d", n, want)
	}
}

func TestStartWarms(t *testing.T) {
	c := newClock()
	iss := newIssuer(t, c.Now)
	a := newAuth(t, c.Now, iss, keyTimes)
	if err := a.Ready(); err == nil || !strings.Contains(err.Error(), iss.URL()) {
		t.Errorf("Ready before Start = %v, want an error that names the issuer", err)
	}
	a.Start(t.Context())
	expect(t, a, mintLong(iss), "")
	if err := a.Ready(); err != nil {
		t.Errorf("Ready = %v", err)
	}
	expectFetches(t, iss, 1)
}

func TestUnknownKeyIDsFetchOncePerCooldown(t *testing.T) {
	c := newClock()
	iss := newIssuer(t, c.Now)
	a := newAuth(t, c.Now, iss, keyTimes)
	good := mintLong(iss)
	expect(t, a, good, "")

	flood := func() {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					if _, err := authenticate(a, unknownKid(iss)); reasonOf(t, err) != auth.ReasonUnknownKey {
						t.Errorf("err = %v, want an unknown key", err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	flood()
	expectFetches(t, iss, 1)
	c.advance(cooldown - 1)
	flood()
	expectFetches(t, iss, 1)
	c.advance(1)
	flood()
	expectFetches(t, iss, 2)
	c.advance(cooldown)
	expect(t, a, iss.Sign(map[string]any{"kid": iss.KeySet().Keys[0].KeyID, "alg": "RS256"}, map[string]any{
		"iss": iss.URL(), "sub": "s", "aud": testAudience, "exp": 9999999999,
	}), auth.ReasonUnknownKey)
	expectFetches(t, iss, 2) // a known kid is no reason to fetch, whatever alg comes with it
	expect(t, a, good, "")
	if s := a.Stats(); s.CachedTokens != 1 || s.Refused[auth.ReasonUnknownKey] != 3*8*50+1 {
		t.Errorf("%d tokens remembered, %d refused; want 1 and 1201", s.CachedTokens, s.Refused[auth.ReasonUnknownKey])
	}
}

func TestRotation(t *testing.T) {
	c := newClock()
	iss := newIssuer(t, c.Now)
	a := newAuth(t, c.Now, iss, keyTimes)
	old := mintLong(iss)
	expect(t, a, old, "")

	iss.Rotate(true)
	c.advance(cooldown)
	expect(t, a, mintLong(iss), "")
	expectFetches(t, iss, 2)
	before := a.Stats().CacheHits
	expect(t, a, old, "")
	if a.Stats().CacheHits != before+1 {
		t.Error("a token whose key is still published was forgotten")
	}

	iss.Rotate(false)
	c.advance(cooldown)
	expect(t, a, mintLong(iss), "")
	expect(t, a, old, auth.ReasonUnknownKey)
	expectFetches(t, iss, 3)
}

// A key that the issuer withdraws is trusted until the keys are of age, though
// no token with a new key comes along.
func TestWithdrawnKeyAfterMaxAge(t *testing.T) {
	tests := []struct {
		name  string
		idle  time.Duration
		first auth.Reason // for the first token after that time
	}{
		{"in use: renewed behind the first request", maxAge, ""},
		{"idle for long: the first request waits", 2 * maxAge, auth.ReasonUnknownKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			iss := newIssuer(t, c.Now)
			a := newAuth(t, c.Now, iss, keyTimes)
			old := mintLong(iss)
			expect(t, a, old, "")
			iss.Rotate(false)
			c.advance(maxAge - 1)
			expect(t, a, old, "")
			expectFetches(t, iss, 1)

			held := make(chan struct{})
			if tt.first == "" { // hold the fetch, to show that nobody waits for it
				iss.Override(issuer.PathDiscovery, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					<-held
					iss.Override(issuer.PathDiscovery, nil)
					iss.ServeHTTP(w, r)
				}))
			}
			c.advance(tt.idle - maxAge + 1)
			expect(t, a, old, tt.first)
			close(held)
			expect(t, a, unknownKid(iss), auth.ReasonUnknownKey) // the fetch is over
			expect(t, a, old, auth.ReasonUnknownKey)
			expectFetches(t, iss, 2)
		})
	}
}

func TestOneWaiterGivesUp(t *testing.T) {
	c := newClock()
	iss := newIssuer(t, c.Now)
	a := newAuth(t, c.Now, iss, keyTimes)
	arrived, release := make(chan struct{}), make(chan struct{})
	iss.Override(issuer.PathDiscovery, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		iss.Override(issuer.PathDiscovery, nil)
		close(arrived)
		<-release
		iss.ServeHTTP(w, r)
	}))
	token := mintLong(iss)
	ctx, cancel := context.WithCancel(t.Context())
	impatient, patient := make(chan error, 1), make(chan error, 4)
	go func() {
		_, err := a.Authenticate(request("Bearer " + token).WithContext(ctx))
		impatient <- err
	}()
	<-arrived
	for range cap(patient) {
		go func() {
			_, err := authenticate(a, token)
			patient <- err
		}()
	}
	cancel()
	if err := <-impatient; !errors.Is(err, context.Canceled) || reasonOf(t, err) != auth.ReasonUnavailable {
		t.Errorf("the one who gave up: %v", err)
	}
	close(release)
	for range cap(patient) {
		if err := <-patient; err != nil {
			t.Errorf("another one: %v", err)
		}
	}
	expectFetches(t, iss, 1)
}

func TestCloseGivesUpFetches(t *testing.T) {
	c := newClock()
	iss := newIssuer(t, c.Now)
	a := newAuth(t, c.Now, iss, keyTimes)
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
}
