package auth_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox/issuer"
)

// hang delays responses with the issuer's discovery document until release is called.
func hang(t *testing.T, iss *issuer.Issuer) (release func()) {
	t.Helper()
	held := make(chan struct{})
	iss.Override(issuer.PathDiscovery, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
			iss.Override(issuer.PathDiscovery, nil)
			iss.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	return func() { close(held) }
}

// flood authenticates a token n times concurrently. The channel has the result of each request that ended, and is
// closed after the last.
func flood(a *auth.Authenticator, token string, n int) <-chan error {
	results := make(chan error, n)
	var requests sync.WaitGroup
	for range n {
		requests.Go(func() {
			_, err := authenticate(a, token)
			results <- err
		})
	}
	go func() {
		requests.Wait()
		close(results)
	}()
	return results
}

// collect receives n results, which must all have the reason.
func collect(t *testing.T, results <-chan error, n int, want auth.Reason) {
	t.Helper()
	for range n {
		if err, ok := <-results; !ok || reasonOf(t, err) != want {
			t.Errorf("err = %v, want reason %q", err, want)
		}
	}
}

func TestWaitersAreBoundedWithoutKeys(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		release := hang(t, iss)
		const more = 36
		results := flood(a, mintLong(iss), auth.MaxWaiters+more)
		collect(t, results, more, auth.ReasonUnavailable) // while the issuer hangs, only the refused requests end
		release()
		collect(t, results, auth.MaxWaiters, "")
		expect(t, a, mintLong(iss), "")
		expectFetches(t, iss, 1)
	})
}

// TestWaitersDoNotAffectKnownKeys: forged tokens that wait for a hanging issuer neither refuse nor delay a token whose
// key is known, even if the keys are so old that the token would wait for a fetch.
func TestWaitersDoNotAffectKnownKeys(t *testing.T) {
	tests := []struct {
		name   string
		cached bool // whether the token was verified before
		stale  bool // whether the keys are out of date
	}{
		{"a token seen before", true, false},
		{"a token not seen before", false, false},
		{"a token seen before, keys out of date", true, true},
		{"a token not seen before, keys out of date", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
				token := mintLong(iss)
				expect(t, a, token, "")
				if !tt.cached {
					token = mintLong(iss)
				}
				time.Sleep(cooldown)
				if tt.stale {
					time.Sleep(2 * maxAge)
				}
				release := hang(t, iss)
				results := flood(a, unknownKid(iss), auth.MaxWaiters+1)
				collect(t, results, 1, auth.ReasonUnavailable) // one more than maxWaiters
				for range 3 {
					expect(t, a, token, "")
				}
				synctest.Wait()
				select {
				case err := <-results:
					t.Errorf("a request ended while the issuer hangs: %v", err)
				default:
				}
				release()
				collect(t, results, auth.MaxWaiters, auth.ReasonUnknownKey)
				expectFetches(t, iss, 2)
			})
		})
	}
}

// TestPanicDuringFetch: a panic during a fetch counts as a failed fetch: the process continues, the waiting requests
// are released, and the next fetch is made after the cooldown.
func TestPanicDuringFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		var broken atomic.Bool
		broken.Store(true)
		iss, a := start(t, func(cfg *auth.Config) {
			cfg.Log = slog.New(slog.NewTextHandler(&logged, nil))
			through := cfg.Transport
			cfg.Transport = transport(func(r *http.Request) (*http.Response, error) {
				if broken.Load() {
					panic(errors.New("c4nary"))
				}
				return through.RoundTrip(r)
			})
		})
		collect(t, flood(a, mintLong(iss), 8), 8, auth.ReasonUnavailable)
		if _, err := a.Inspect(t.Context(), iss.URL()); err == nil || !strings.Contains(err.Error(), "a panic") {
			t.Errorf("Inspect = %v", err)
		}
		broken.Store(false)
		time.Sleep(cooldown)
		expect(t, a, mintLong(iss), "")
		a.Close()
		if s := a.Stats().Issuers[iss.URL()]; s.KeyFetches != 2 || s.KeyFailures != 1 {
			t.Errorf("%d fetches, %d failed; want 2 and 1", s.KeyFetches, s.KeyFailures)
		}
		if got := logged.String(); strings.Contains(got, "c4nary") || !strings.Contains(got, "a panic") {
			t.Errorf("log = %s", got)
		}
	})
}
