package auth_test

import (
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/upstream/sandbox/issuer"
)

// TestCallersRefused: a caller counts as refused if its issuer has signed the token, and only its lifetime or audience
// is refused. Nobody can invent callers.
func TestCallersRefused(t *testing.T) {
	c, iss, a := start(t)
	old := iss.Mint(issuer.Grant{Subject: "late", TTL: time.Minute})
	expect(t, a, iss.Mint(issuer.Grant{Subject: "in time", TTL: time.Hour}), "")
	c.advance(time.Hour / 2)
	for range 3 {
		expect(t, a, old, auth.ReasonExpired)
		expect(t, a, old[:len(old)-8]+"AAAAAAAA", auth.ReasonExpired)
		time.Sleep(25 * time.Millisecond) // longer than the pause between two signatures
	}
	want := func(callers, refused int) {
		t.Helper()
		if s := a.Stats().Issuers[iss.URL()]; s.Callers != callers || s.CallersRefused != refused || s.Unavailable != 0 {
			t.Errorf("%+v, want %d callers and %d refused", s, callers, refused)
		}
	}
	want(1, 1)
	expect(t, a, iss.Mint(issuer.Grant{Subject: "elsewhere", Audience: []string{"https://other.example"}, TTL: time.Hour}), auth.ReasonAudience)
	want(1, 2)
	forged := iss.Mint(issuer.Grant{Subject: "forged", Audience: []string{"https://other.example"}, TTL: time.Hour})
	time.Sleep(25 * time.Millisecond)
	expect(t, a, forged[:len(forged)-8]+"AAAAAAAA", auth.ReasonAudience)
	want(1, 2)
}
