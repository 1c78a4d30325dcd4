package alerts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

// site is a gateway with the sandbox that it calls.
type site struct {
	gatewaytest.Client
	gateway *replica.Replica
	box     *sandbox.Sandbox
	t       *testing.T
}

// newSite starts a gateway in a bubble. The flags may name its issuer, an address on which nothing listens, and a
// manifest.
func newSite(t *testing.T, flags string) site {
	t.Helper()
	box, manifest := replica.NewSandbox(t), filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"other":"query Other { __typename }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	flags = strings.NewReplacer("ISSUER", box.IssuerURL(), "CLOSED", closed(t, box.Network), "MANIFEST", manifest).Replace(flags)
	r := box.Start(t, strings.Fields(flags)...)
	return site{r.Client, r, box.Sandbox, t}
}

// traffic sends 75 requests of five callers: with fewer targets, a circuit breaker may count all of them as one.
func (s site) traffic(name string, audience ...string) {
	samples := s.box.Samples()
	var tokens []string
	for i := range 5 {
		tokens = append(tokens, s.box.Issuer().Mint(issuer.Grant{
			Subject: fmt.Sprint(name, i), Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour, Audience: audience,
		}))
	}
	for range 3 {
		s.send(tokens, "{ deposits(perPage: 2) { nodes { id status } } }", "{ withdrawals(perPage: 2) { nodes { id status } } }",
			fmt.Sprintf("{ transaction(id: %q) { id status } }", samples.Transaction),
			fmt.Sprintf("{ transaction(id: %q) { id status } }", samples.UnknownTransaction),
			fmt.Sprintf("{ notification(id: %q) { id status } }", samples.Notification))
	}
}

// send sends each document with each token, the tokens of a document at the same time.
func (s site) send(tokens []string, documents ...string) {
	for _, document := range documents {
		var sent sync.WaitGroup
		for _, token := range tokens {
			sent.Go(func() { s.QueryAs(token, document) })
		}
		sent.Wait()
	}
}
