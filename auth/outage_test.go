package auth_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox/issuer"
)

func TestOutageAfterWarmUp(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		expect(t, a, mintLong(iss), "")
		iss.SetDown(true)
		for range 3 {
			time.Sleep(24 * time.Hour)
			expect(t, a, mintLong(iss), "") // a token not seen before
		}
		time.Sleep(cooldown)
		expect(t, a, unknownKid(iss), auth.ReasonUnavailable)
		expect(t, a, unknownKid(iss), auth.ReasonUnavailable) // still unavailable during the cooldown
		if err := a.Ready(); err != nil {
			t.Errorf("Ready = %v", err)
		}
		iss.SetDown(false)
		iss.Rotate(false)
		time.Sleep(cooldown)
		expect(t, a, mintLong(iss), "")
		expect(t, a, unknownKid(iss), auth.ReasonUnknownKey)
	})
}

// TestRequestsDoNotWaitAfterFailedFetch: a request waits for keys that are far out of date, but not if the last fetch
// from the issuer failed.
func TestRequestsDoNotWaitAfterFailedFetch(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		token := mintLong(iss)
		expect(t, a, token, "")
		iss.SetDown(true)
		time.Sleep(2 * maxAge)
		expect(t, a, token, "") // waits for the fetch, which fails
		iss.SetDown(false)
		time.Sleep(cooldown)
		release := hang(t, iss)
		expect(t, a, token, "")
		release()
		// The fetch succeeds. If the request had waited for it, it would have returned only after the fetch was
		// cancelled.
		expect(t, a, unknownKid(iss), auth.ReasonUnknownKey)
	})
}

func TestIssuerDownAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		iss, a := start(t, func(cfg *auth.Config) { cfg.Log = slog.New(slog.NewTextHandler(&logged, nil)) })
		iss.SetDown(true)
		a.Start(t.Context())
		token := mintLong(iss)
		for range 20 {
			expect(t, a, token, auth.ReasonUnavailable)
		}
		if n := iss.Requests(issuer.PathDiscovery); n != 1 {
			t.Errorf("%d requests in one cooldown, want 1", n)
		}
		if a.Ready() == nil {
			t.Error("ready without keys")
		}
		iss.SetDown(false)
		expect(t, a, token, auth.ReasonUnavailable) // the cooldown is not over
		time.Sleep(cooldown)
		expect(t, a, token, "")
		if err := a.Ready(); err != nil {
			t.Errorf("Ready = %v", err)
		}
		a.Close()
		if got := logged.String(); strings.Count(got, "cannot be fetched") != 1 || strings.Count(got, "keys changed") != 1 || strings.Contains(got, token) {
			t.Errorf("log = %s", got)
		}
	})
}

// TestReadyFetchesAgain: calls of Ready alone are enough to become ready.
func TestReadyFetchesAgain(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		iss.SetDown(true)
		expect(t, a, mintLong(iss), auth.ReasonUnavailable)
		iss.SetDown(false)
		time.Sleep(cooldown)
		if a.Ready() == nil {
			t.Fatal("ready without keys")
		}
		synctest.Wait()
		if err := a.Ready(); err != nil {
			t.Errorf("Ready = %v", err)
		}
	})
}
