package auth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

func TestIdentityNeverPrintsTheToken(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		token := iss.Mint(issuer.Grant{Subject: "canary-subject"})
		id, err := authenticate(a, token)
		must(t, err)
		type holder struct {
			ID      *auth.Identity
			private *auth.Identity
			copied  auth.Identity
		}
		h := holder{id, id, *id}
		var out bytes.Buffer
		for _, v := range []any{id, *id, h, &h, []*auth.Identity{id}, map[string]any{"id": *id}} {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
				fmt.Fprintf(&out, verb+"\n", v)
			}
			b, err := json.Marshal(v)
			must(t, err)
			out.Write(b)
			slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
			slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
		}
		for _, secret := range []string{token, strings.Split(token, ".")[2], fmt.Sprintf("%x", token)} {
			if strings.Contains(out.String(), secret) {
				t.Fatal("the output contains the token")
			}
		}
		if s := fmt.Sprint(id); strings.Contains(s, "canary") || !strings.HasPrefix(s, "caller ") {
			t.Errorf("String = %q", s)
		}
	})
}

func TestDigestAndCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss, other := newIssuer(t, network), newIssuer(t, network)
		a := newAuth(t, network, iss, func(cfg *auth.Config) { cfg.Issuers = append(cfg.Issuers, other.URL()) })
		identity := func(i *issuer.Issuer, subject string) *auth.Identity {
			id, err := authenticate(a, i.Mint(issuer.Grant{Subject: subject}))
			must(t, err)
			return id
		}
		one, again := identity(iss, "s"), identity(iss, "s")
		if one.Caller() != again.Caller() {
			t.Error("two tokens of one caller have different caller keys")
		}
		if one.Digest() == again.Digest() {
			t.Error("two tokens share a digest")
		}
		for name, different := range map[string]*auth.Identity{"subject": identity(iss, "s2"), "issuer": identity(other, "s")} {
			if one.Caller() == different.Caller() {
				t.Errorf("callers with a different %s share a key", name)
			}
		}
	})
}

func TestScopesAreCopied(t *testing.T) {
	run(t, func(t *testing.T, iss *issuer.Issuer, a *auth.Authenticator) {
		id, err := authenticate(a, iss.Mint(issuer.Grant{Scopes: []string{"a"}}))
		must(t, err)
		id.Scopes()[0] = "get_dispatcher"
		if id.HasScope("get_dispatcher") || !id.HasScope("a") {
			t.Error("changing the result of Scopes changed the identity")
		}
	})
}

// TestAcceptedTokens: tokens that an API has accepted are remembered, as many as there is memory for, and the least
// recently used one is forgotten.
func TestAcceptedTokens(t *testing.T) {
	const room = (3 << 20) / 224
	a, err := auth.New(auth.Config{Mode: auth.ModeForward})
	must(t, err)
	defer a.Close()
	of := func(n int) *auth.Identity {
		id, err := authenticate(a, fmt.Sprint("token", n))
		must(t, err)
		return id
	}
	if of(0).Accepted() {
		t.Error("a token is accepted that no API has seen")
	}
	for n := range room + 1 {
		of(n).Accept()
	}
	if of(0).Accepted() || !of(1).Accepted() || !of(room).Accepted() || of(-1).Accepted() {
		t.Errorf("accepted: the first %t, the second %t, the last %t", of(0).Accepted(), of(1).Accepted(), of(room).Accepted())
	}
}
