package auth_test

import (
	"fmt"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/sandbox/issuer"
)

// TestCallersRefused: a caller counts as refused if its issuer has signed the token for another audience. Nobody can
// invent callers, and an expired token says nothing.
func TestCallersRefused(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		elsewhere := func(subject string) string {
			return iss.Mint(issuer.Grant{Subject: subject, Audience: []string{"https://other.example"}, TTL: time.Hour})
		}
		expect(t, a, iss.Mint(issuer.Grant{Subject: "here", TTL: time.Hour}), "")
		expect(t, a, iss.Mint(issuer.Grant{Subject: "late", TTL: -time.Hour}), auth.ReasonExpired)
		expect(t, a, iss.Mint(issuer.Grant{Subject: "late", Audience: []string{"https://former.example"}, TTL: -time.Hour}), auth.ReasonExpired)
		for i := range 1000 { // what nobody has signed uses up nothing
			forged := elsewhere(fmt.Sprint("forged", i))
			expect(t, a, forged[:len(forged)-8]+"AAAAAAAA", auth.ReasonAudience)
		}
		for range 2 {
			expect(t, a, elsewhere("elsewhere"), auth.ReasonAudience)
			forged := elsewhere("forged")
			expect(t, a, forged[:len(forged)-8]+"AAAAAAAA", auth.ReasonAudience)
		}
		if s := a.Stats().Issuers[iss.URL()]; s.Callers != 2 || s.CallersRefused != 1 || s.Unavailable != 0 {
			t.Errorf("%+v", s)
		}
	})
}
