package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
)

// startLearning starts a gateway without a source of ids but what tokens have read, and adds a transaction with two
// notifications.
func startLearning(t testing.TB, changes ...func(*options)) (*gateway, string) {
	t.Helper()
	g := start(t, append(changes, func(o *options) { o.Serve.MetadataPointer = nil })...)
	transaction := g.withMetadata("aaaaaaaa-bbbb-4ccc-8ddd-00000000000a", "{}")
	g.put(ledger.Notification, notification(readable, strings.ToUpper(transaction)))
	g.put(ledger.Notification, notification(other, transaction))
	return g, transaction
}

// TestLearnedLinks: the notifications of a transaction are those that operations with the same token have read, by
// whatever field. Each is read again with the token.
func TestLearnedLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, transaction := startLearning(t)
		both := variables{"id": transaction, "ids": []string{other, readable}}
		tests := []struct {
			name, document, nodes string
			calls                 int
		}{
			{"one record", `{ notification(id: "000000000000000000000001") { url } deposits { totalCount } }`, "1", 2},
			{"the only call of an operation", `{ notification(id: "000000000000000000000001") { id } }`, "1", 1},
			{"a list", `query($ids: [ID!]!) { notifications(ids: $ids) { status } }`, "13", 2},
			{"links", `query($id: ID!, $ids: [ID!]!) { transaction(id: $id) { notifications(ids: $ids) { links { state } } } }`, "13", 3},
			{"a list with links", `query($ids: [ID!]!) { notifications(ids: $ids) { transaction { id } } }`, "13", 3},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				token := g.Box.Token()
				g.QueryAs(token, linksDocument, variables{"id": transaction}).WantError("LINKS_NOT_CONFIGURED", "transaction", "notifications")
				g.Box.ResetCalls()
				g.QueryAs(token, tt.document, both).WantOK()
				g.WantCalls(tt.calls, token)
				for range 2 {
					g.Box.ResetCalls()
					a := g.QueryAs(token, linksDocument, variables{"id": transaction}).WantOK()
					if got := linkNodes(a); got != tt.nodes {
						t.Errorf("nodes %s, want %s", got, tt.nodes)
					}
					for _, state := range linkStates(a) {
						if !strings.HasSuffix(state, "LEARNED VERIFIED") {
							t.Errorf("link %s", state)
						}
					}
					g.WantCalls(1+len(tt.nodes), token)
				}
			})
		}
	})
}

// TestLearnedLinksInOneOperation: an operation does not see what it reads itself, because its fields are resolved in
// any order.
func TestLearnedLinksInOneOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, transaction := startLearning(t)
		g.Query(`query($id: ID!) { notification(id: "000000000000000000000001") { id } transaction(id: $id) { notifications { nodes { id } } } }`,
			variables{"id": transaction}).WantError("LINKS_NOT_CONFIGURED", "transaction", "notifications")
		if nodes := linkNodes(g.Query(linksDocument, variables{"id": transaction}).WantOK()); nodes != "1" {
			t.Errorf("nodes %s", nodes)
		}
	})
}

// TestLearnedLinksAfterOtherSources: each id is tried once, and has the first source that names it.
func TestLearnedLinksAfterOtherSources(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		l := g.linked()
		g.Query(`query($ids: [ID!]!) { notifications(ids: $ids) { id } }`, variables{"ids": []string{l.known, l.inMetadata, l.other}}).WantOK()
		g.Box.ResetCalls()
		a := g.Query(linksDocument, variables{"id": l.transaction}).WantOK()
		if got := fmt.Sprint(linkStates(a)); got != "[1 METADATA VERIFIED 2 METADATA NOT_FOUND 3 LEARNED VERIFIED]" {
			t.Errorf("links %s", got)
		}
		g.WantCalls(4, g.Token)
	})
}

// TestLearnedLinksInAnotherCase: a notification that the dispatcher finds by ids that differ in case is one node, also
// after it was learned.
func TestLearnedLinksInAnotherCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, transaction := startLearning(t)
		g.put(ledger.Notification, notification("00000000000000000000000b", transaction))
		ids := []string{"00000000000000000000000B"}
		for range 2 {
			a := g.Query(linksDocument, variables{"id": transaction, "ids": ids}).WantOK()
			if states, nodes := fmt.Sprint(linkStates(a)), linkNodes(a); states != "[B ARGUMENT VERIFIED]" || nodes != "b" {
				t.Errorf("links %s, nodes %s", states, nodes)
			}
		}
		a := g.Query(linksDocument, variables{"id": transaction, "ids": append(ids, strings.ToLower(ids[0]))}).WantOK()
		if states, nodes := fmt.Sprint(linkStates(a)), linkNodes(a); states != "[B ARGUMENT VERIFIED b ARGUMENT VERIFIED]" || nodes != "b" {
			t.Errorf("links %s, nodes %s", states, nodes)
		}
	})
}

// TestLearnedLinksAreIsolated: no token uses what another one has read, not even one of the same caller.
func TestLearnedLinksAreIsolated(t *testing.T) {
	for _, mode := range []auth.Mode{auth.ModeOIDC, auth.ModeForward} {
		bubble(t, string(mode), func(t *testing.T) {
			g, transaction := startLearning(t, func(o *options) { o.Auth.Mode = mode })
			reader, sameCaller := g.Box.Token(), g.Box.Token()
			otherCaller := g.Box.Issuer().Mint(issuer.Grant{Subject: "other", Scopes: []string{"get_dispatcher"}})
			g.QueryAs(reader, `{ notification(id: "000000000000000000000001") { id } }`).WantOK()
			for _, token := range []string{sameCaller, otherCaller} {
				g.Box.ResetCalls()
				g.QueryAs(token, linksDocument, variables{"id": transaction}).WantError("LINKS_NOT_CONFIGURED", "transaction", "notifications")
				g.WantCalls(1, token)
			}
			if nodes := linkNodes(g.QueryAs(reader, linksDocument, variables{"id": transaction}).WantOK()); nodes != "1" {
				t.Errorf("nodes %s", nodes)
			}
		})
	}
}

// TestLearnedLinksThatChange: of what a token has read, only what still refers to the transaction is shown. What cannot
// be read is an error.
func TestLearnedLinksThatChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, transaction := startLearning(t)
		g.Query(`{ notifications(ids: ["000000000000000000000001", "000000000000000000000003"]) { id } }`).WantOK()
		tests := []struct {
			name        string
			fault       sandbox.Fault
			nodes, code string
		}{
			{"deleted", sandbox.Fault{Status: http.StatusNotFound}, "3", ""},
			{"not permitted", sandbox.Fault{Status: http.StatusForbidden}, "-3", "FORBIDDEN"},
			{"failed", sandbox.Fault{Status: http.StatusInternalServerError}, "-3", "UPSTREAM_ERROR"},
			{"of another record", sandbox.Fault{Body: []byte(notification(readable, "x"))}, "3", ""},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				tt.fault.ID = readable
				defer g.Box.Inject(tt.fault)()
				a := g.Query(linksDocument, variables{"id": transaction})
				if nodes, states := linkNodes(a), fmt.Sprint(linkStates(a)); nodes != tt.nodes || states != "[3 LEARNED VERIFIED]" {
					t.Errorf("nodes %s, links %s", nodes, states)
				}
				if tt.code != "" {
					a.WantError(tt.code, "transaction", "notifications", "nodes", 0)
				} else {
					a.WantOK()
				}
			})
		}
		down := sandbox.Fault{Route: sandbox.RouteNotification, Status: http.StatusInternalServerError}
		gone := sandbox.Fault{Route: sandbox.RouteNotification, Status: http.StatusNotFound}
		for code, fault := range map[string]sandbox.Fault{"UPSTREAM_ERROR": down, "LINKS_NOT_CONFIGURED": gone} {
			undo := g.Box.Inject(fault)
			g.Query(linksDocument, variables{"id": transaction}).WantError(code, "transaction", "notifications")
			undo()
		}
	})
}

// TestLearnedLinksStayBelowTheCost: at most 50 notifications are read, however many the token has read before.
func TestLearnedLinksStayBelowTheCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, transaction := startLearning(t)
		ids := make([]string, 60)
		for i := range ids {
			ids[i] = fmt.Sprintf("n-%02d", i)
			g.put(ledger.Notification, notification(ids[i], transaction))
		}
		for _, part := range [][]string{ids[:30], ids[30:]} {
			g.Query(`query($ids: [ID!]!) { notifications(ids: $ids) { id } }`, variables{"ids": part}).WantOK()
		}
		g.Box.ResetCalls()
		cost := http.Header{"X-Pixgraph-Cost": {"1"}}
		a := g.QueryWith(cost, linksDocument, variables{"id": transaction}).WantOK()
		if links := a.List("transaction", "notifications", "links"); len(links) != 50 || !strings.Contains(string(a.Body), `"upstreamCalls":51`) {
			t.Errorf("%d links: %.300s", len(links), a.Body)
		}
		g.WantCalls(51, g.Token)
		g.Box.ResetCalls()
		b := g.QueryWith(cost, linksDocument, variables{"id": transaction, "ids": []string{readable}}).WantOK() // nobody asked for the last one
		if states := linkStates(b); len(states) != 50 || !strings.HasSuffix(states[0], "ARGUMENT VERIFIED") {
			t.Errorf("links %q", states)
		}
		g.WantCalls(51, g.Token)
	})
}

// TestLearnedLinksConcurrently: many tokens learn and read at the same time, each only its own links.
func TestLearnedLinksConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, transaction := startLearning(t)
		const tokens, rounds = 8, 6
		var sending sync.WaitGroup
		for n := range tokens {
			token := g.Box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint(n % 2), Scopes: []string{"get_dispatcher"}, Claims: variables{"n": n}})
			own, want := readable, "1"
			if n%3 == 0 {
				own, want = other, "3"
			}
			sending.Go(func() {
				g.QueryAs(token, `query($id: ID!) { notification(id: $id) { id } }`, variables{"id": own}).WantOK()
				for range rounds {
					sending.Go(func() {
						if nodes := linkNodes(g.QueryAs(token, linksDocument, variables{"id": transaction}).WantOK()); nodes != want {
							t.Errorf("nodes %s, want %s", nodes, want)
						}
					})
				}
			})
		}
		sending.Wait()
	})
}
