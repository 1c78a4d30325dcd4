package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pixgraph/auth"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
)

// linked has the ids of a transaction and of notifications: two in the metadata of the transaction, of which stale does
// not exist, one that only the caller knows, and one of another transaction.
type linked struct{ transaction, inMetadata, stale, known, other string }

// linked adds these records to the sandbox.
func (g *gateway) linked() linked {
	l := linked{
		transaction: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
		inMetadata:  "000000000000000000000001", stale: "000000000000000000000002",
		known: "000000000000000000000003", other: "000000000000000000000004",
	}
	g.put(ledger.Transaction, fmt.Sprintf(`{"id":%q,"acquirer":"a","amount":1,"paymentMethod":"PIX","isInfoProduct":false,
		"metadata":{"notificationIds":[%q,%q]},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","status":"PAID","statusHistory":[]}`,
		l.transaction, l.inMetadata, l.stale))
	for id, referenceID := range map[string]string{
		l.inMetadata: strings.ToUpper(l.transaction), l.known: l.transaction, l.other: g.transactionIDs(1)[0],
	} {
		g.put(ledger.Notification, notification(id, referenceID))
	}
	return l
}

func (g *gateway) put(kind ledger.Kind, raw string) {
	g.Box.Ledger().Put(kind, ledger.NewEntry([]byte(raw)))
}

// notification is a notification with the required members.
func notification(id, referenceID string) string {
	return fmt.Sprintf(`{"id":%q,"hash":"h","tenant":"t","url":"https://shop.example.com/hook","referenceId":%q,"body":{},"tags":[],"status":"SENT",
		"statusHistory":[],"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","executions":[],"error":null}`, id, referenceID)
}

const linksDocument = `query($id: ID!, $ids: [ID!]) { transaction(id: $id) { id notifications(ids: $ids) {
	nodes { id referenceId } links { notificationId source state notification { id } } } } }`

// linkStates lists the links as "id source state". It fails the test unless exactly the verified ones have a
// notification.
func linkStates(a response) []string {
	a.T.Helper()
	var states []string
	for i := range a.List("transaction", "notifications", "links") {
		link := []any{"transaction", "notifications", "links", i}
		state := a.Text(append(link, "state")...)
		id := a.Text(append(link, "notificationId")...)
		if got := a.At(append(link, "notification")...); (got != nil) != (state == "VERIFIED") {
			a.T.Errorf("link %d is %s and has %v", i, state, got)
		}
		states = append(states, fmt.Sprintf("%s %s %s", id[len(id)-1:], a.Text(append(link, "source")...), state))
	}
	return states
}

// linkErrors lists the errors of a response as "path code".
func linkErrors(a response) (list []string) {
	for _, err := range a.Errors {
		list = append(list, fmt.Sprint(err.Path, " ", err.Extensions["code"]))
	}
	return list
}

func TestTransactionNotifications(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		l := g.linked()
		const unknown = "000000000000000000000005"
		const forbidden, broken = "000000000000000000000006", "000000000000000000000007"
		g.Box.Inject(sandbox.Fault{ID: forbidden, Status: http.StatusForbidden})
		g.Box.Inject(sandbox.Fault{ID: broken, Status: http.StatusInternalServerError})

		tests := []struct {
			name   string
			ids    []string
			states []string
			nodes  string // the last digits of their ids
			errors []string
			calls  int
		}{
			{"without an argument", nil, []string{"1 METADATA VERIFIED", "2 METADATA NOT_FOUND"}, "1", nil, 3},
			{
				"with ids of every kind", []string{l.known, l.other, unknown, forbidden, broken},
				[]string{
					"3 ARGUMENT VERIFIED", "4 ARGUMENT MISMATCH", "5 ARGUMENT NOT_FOUND", "6 ARGUMENT FORBIDDEN",
					"7 ARGUMENT UNAVAILABLE", "1 METADATA VERIFIED", "2 METADATA NOT_FOUND",
				}, "3--1", []string{"[transaction notifications nodes 1] FORBIDDEN", "[transaction notifications nodes 2] UPSTREAM_ERROR"}, 8,
			},
			{
				"with a duplicate id and one of the metadata", []string{l.inMetadata, l.known, l.inMetadata},
				[]string{"1 ARGUMENT VERIFIED", "3 ARGUMENT VERIFIED", "2 METADATA NOT_FOUND"}, "13", nil, 4,
			},
			{
				"with ids that differ only in case", []string{"AbC", "aBc"},
				[]string{"C ARGUMENT NOT_FOUND", "c ARGUMENT NOT_FOUND", "1 METADATA VERIFIED", "2 METADATA NOT_FOUND"}, "1", nil, 5,
			},
			{
				"with ids of any form", []string{"a b/c?d#8", strings.Repeat("x", 1023) + "9"},
				[]string{"8 ARGUMENT NOT_FOUND", "9 ARGUMENT NOT_FOUND", "1 METADATA VERIFIED", "2 METADATA NOT_FOUND"}, "1", nil, 5,
			},
			{"with no ids", []string{}, []string{"1 METADATA VERIFIED", "2 METADATA NOT_FOUND"}, "1", nil, 3},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				token := g.Box.Token() // it has not learned any links
				a := g.QueryAs(token, linksDocument, variables{"id": l.transaction, "ids": tt.ids})
				if got := linkStates(a); fmt.Sprint(got) != fmt.Sprint(tt.states) {
					t.Errorf("links %q, want %q", got, tt.states)
				}
				if got := linkNodes(a); got != tt.nodes {
					t.Errorf("nodes %q, want %q", got, tt.nodes)
				}
				if got := linkErrors(a); fmt.Sprint(got) != fmt.Sprint(tt.errors) {
					t.Errorf("errors %q, want %q", got, tt.errors)
				}
				g.WantCalls(tt.calls, token)
			})
		}
	})
}

// linkNodes returns the last digits of the ids of the nodes, with "-" for null.
func linkNodes(a response) (digits string) {
	a.T.Helper()
	for i, node := range a.List("transaction", "notifications", "nodes") {
		if node == nil {
			digits += "-"
			continue
		}
		id := a.Text("transaction", "notifications", "nodes", i, "id")
		digits += id[len(id)-1:]
	}
	return digits
}

func TestTransactionNotificationsInput(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		l := g.linked()
		tests := []struct {
			name string
			ids  []string
		}{
			{"too many", make([]string, 51)},
			{"empty", []string{""}},
			{"a path", []string{"x", ".."}},
			{"a control character", []string{"a\nb"}},
			{"too long", []string{strings.Repeat("x", 1025)}},
		}
		for i := range tests[0].ids {
			tests[0].ids[i] = fmt.Sprint(i)
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				a := g.Query(linksDocument, variables{"id": l.transaction, "ids": tt.ids})
				a.WantError("BAD_USER_INPUT", "transaction", "notifications")
				if a.Text("transaction", "id") != l.transaction || len(a.Errors) != 1 {
					t.Errorf("%s", a.Body)
				}
				g.WantCalls(1, g.Token)
			})
		}
	})
}

// TestHostileMetadata: at most 50 ids of the metadata are looked up, whatever it contains, and an error says that there
// are more.
func TestHostileMetadata(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		ids := make([]any, 200)
		for i := range ids {
			ids[i] = fmt.Sprintf("%024x", i)
		}
		ids[0], ids[1], ids[2] = 7, "../../deposit", "a\u0000b"
		list, err := json.Marshal(ids)
		must(t, err)
		id := "aaaaaaaa-bbbb-4ccc-8ddd-000000000000"
		g.put(ledger.Transaction, fmt.Sprintf(`{"id":%q,"metadata":{"notificationIds":%s}}`, id, list))
		a := g.Query(linksDocument, variables{"id": id})
		if got := linkErrors(a); fmt.Sprint(got) != "[[transaction notifications nodes 0] LIMIT_EXCEEDED]" || g.Handler.Stats().LimitsHit["notificationIds"] != 1 {
			t.Errorf("%q", got)
		}
		if links := a.List("transaction", "notifications", "links"); len(links) != 50 {
			t.Errorf("%d links, want 50", len(links))
		}
		for _, call := range g.Calls() {
			if !strings.HasPrefix(call, "core /core/v1/transaction/") && !strings.HasPrefix(call, "dispatcher /dispatcher/v1/request/") {
				t.Errorf("called %s", call)
			}
		}
	})
}

// TestNotificationLinks: the reference id of a notification leads to a transaction or a withdrawal.
func TestNotificationLinks(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		transaction, withdrawal := g.transactionIDs(1)[0], g.Box.Ledger().Withdrawals()[0].ID
		const document = "query($id: ID!) { notification(id: $id) { transaction { id } withdrawal { id } } }"
		tests := []struct {
			name        string
			referenceID string
			transaction any
			withdrawal  any
			calls       int
		}{
			{"a transaction", transaction, transaction, nil, 3},
			{"a transaction in upper case", strings.ToUpper(transaction), transaction, nil, 3},
			{"a withdrawal", withdrawal, nil, withdrawal, 3},
			{"an unknown record", "00000000-0000-4000-8000-000000000000", nil, nil, 3},
			{"a UUID of another version", "00000000-0000-1000-8000-000000000000", nil, nil, 2},
			{"not a UUID", "order-17", nil, nil, 1},
			{"a UUID in braces", "{" + transaction + "}", nil, nil, 1},
			{"no reference id", "", nil, nil, 1},
		}
		for i, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				id := fmt.Sprintf("link-%d", i)
				g.put(ledger.Notification, notification(id, tt.referenceID))
				g.Box.ResetCalls()
				a := g.Query(document, variables{"id": id}).WantOK()
				want := map[string]any{"transaction": nil, "withdrawal": nil}
				if tt.transaction != nil {
					want["transaction"] = map[string]any{"id": tt.transaction}
				}
				if tt.withdrawal != nil {
					want["withdrawal"] = map[string]any{"id": tt.withdrawal}
				}
				if fmt.Sprint(a.At("notification")) != fmt.Sprint(want) {
					t.Errorf("%v, want %v", a.At("notification"), want)
				}
				g.WantCalls(tt.calls, g.Token)
			})
		}
	})
}

// TestMissingScope: without the scope get_dispatcher only the notifications are FORBIDDEN, without a call.
func TestMissingScope(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		token := g.Box.Token("some_other_scope")
		a := g.QueryAs(token, `query($id: ID!) { transaction(id: $id) { id amount notifications { __typename } }
			notification(id: "x") { id } notifications(ids: ["x"]) { id } deposits { totalCount } }`, variables{"id": g.transactionIDs(1)[0]})
		for _, path := range [][]any{{"transaction", "notifications"}, {"notification"}, {"notifications"}} {
			err := a.WantError("FORBIDDEN", path...)
			if err.Extensions["requiredScope"] != "get_dispatcher" || err.Extensions["service"] != "dispatcher" {
				t.Errorf("%v: %v", path, err.Extensions)
			}
		}
		if len(a.Errors) != 3 || a.At("transaction", "notifications") != nil {
			t.Errorf("%s", a.Body)
		}
		if a.At("transaction", "amount") == nil || a.At("deposits", "totalCount") == nil {
			t.Errorf("%s", a.Body)
		}
		g.WantCalls(2, token)
	})
}

// TestUnknownScopes: a token that does not say its scopes may have them: the dispatcher decides. Roles may name scopes.
func TestUnknownScopes(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const document = `{ notification(id: "x") { id } }`
		for role, code := range map[string]string{"reader": "FORBIDDEN", "get_dispatcher": "NOT_FOUND"} {
			g.Box.ResetCalls()
			token := g.Box.Issuer().Mint(issuer.Grant{Claims: variables{"scope": nil, "roles": []string{role}}})
			ext := g.QueryAs(token, document).WantError(code, "notification").Extensions
			if role == "reader" && fmt.Sprint(ext["upstreamStatus"]) != "403" {
				t.Errorf("%v", ext)
			}
			g.WantCalls(1, token)
		}
	})
}

// TestForwardMode: the APIs decide, and what they reject affects no other field.
func TestForwardMode(t *testing.T) {
	runWith(t, func(o *options) { o.Auth.Mode = auth.ModeForward }, func(t *testing.T, g *gateway) {
		l := g.linked()
		token := g.Box.Token("some_other_scope")
		a := g.QueryAs(token, linksDocument, variables{"id": l.transaction})
		if ext := a.WantError("FORBIDDEN", "transaction", "notifications").Extensions; ext["requiredScope"] != "get_dispatcher" {
			t.Errorf("%v", ext)
		}
		b := g.QueryAs(token, `{ notification(id: "000000000000000000000001") { id } deposits { totalCount } }`)
		ext := b.WantError("FORBIDDEN", "notification").Extensions
		if ext["requiredScope"] != "get_dispatcher" || fmt.Sprint(ext["upstreamStatus"]) != "403" {
			t.Errorf("%v", ext)
		}
		if b.At("deposits") == nil {
			t.Error("the deposits are null")
		}
		c := g.QueryAs("an.opaque-token", "{ deposits { totalCount } }")
		if err := c.WantError("UNAUTHENTICATED", "deposits"); fmt.Sprint(err.Extensions["upstreamStatus"]) != "401" {
			t.Errorf("%v", err.Extensions)
		}
	})
}
