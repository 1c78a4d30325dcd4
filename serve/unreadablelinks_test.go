package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/client"
)

// Transaction.notifications is never an empty list where it is unknown whether there are notifications.

// withMetadata adds a transaction with the metadata to the sandbox.
func (g *gateway) withMetadata(id, metadata string) string {
	g.put(ledger.Transaction, fmt.Sprintf(`{"id":%q,"metadata":%s}`, id, metadata))
	return id
}

// The ids of the notifications in these tests: one that can be read, and two with faults.
const (
	readable   = "000000000000000000000001"
	unreadable = "000000000000000000000002"
	other      = "000000000000000000000003"
)

// TestUnreadableLinks tests the table of docs/errors.md. If no id can be read, the field is null. If some can be, the
// others are null with the same error.
func TestUnreadableLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const transaction = "aaaaaaaa-bbbb-4ccc-8ddd-000000000001"
		withReference := func(value string) sandbox.Fault {
			return sandbox.Fault{Mutate: func(body []byte) []byte {
				return []byte(strings.Replace(string(body), fmt.Sprintf(`"referenceId":%q`, transaction), `"referenceId":`+value, 1))
			}}
		}
		tests := []struct {
			name        string
			fault       sandbox.Fault
			state, code string // code is empty for a known result
			extensions  map[string]any
		}{
			{"401", sandbox.Fault{Status: 401}, "UNAVAILABLE", "UNAUTHENTICATED", variables{"upstreamStatus": 401, "retryable": false}},
			{"403", sandbox.Fault{Status: 403}, "FORBIDDEN", "FORBIDDEN", variables{"requiredScope": "get_dispatcher", "retryable": false}},
			{"404", sandbox.Fault{Status: 404}, "NOT_FOUND", "", nil},
			{"422", sandbox.Fault{Status: 422}, "NOT_FOUND", "", nil},
			{
				"429", sandbox.Fault{Status: 429, Header: http.Header{"Retry-After": {"3600"}}},
				"UNAVAILABLE", "RATE_LIMITED", variables{"retryAfterMs": 3600000, "retryable": true},
			},
			{"500", sandbox.Fault{Status: 500}, "UNAVAILABLE", "UPSTREAM_ERROR", variables{"service": "dispatcher", "retryable": true}},
			{
				"503", sandbox.Fault{Status: 503, Header: http.Header{"Retry-After": {"3600"}}},
				"UNAVAILABLE", "UPSTREAM_ERROR", variables{"retryAfterMs": 3600000, "retryable": true},
			},
			{"a reset", sandbox.Fault{Kind: sandbox.FaultReset}, "UNAVAILABLE", "UPSTREAM_UNAVAILABLE", variables{"retryable": true}},
			{"a redirect", sandbox.Fault{Status: 302}, "UNAVAILABLE", "UPSTREAM_INVALID_RESPONSE", variables{"retryable": false}},
			{"no JSON", sandbox.Fault{Kind: sandbox.FaultBadJSON}, "UNAVAILABLE", "UPSTREAM_INVALID_RESPONSE", nil},
			{"no reference id", withReference("null"), "UNAVAILABLE", "UPSTREAM_INVALID_RESPONSE", nil},
			{"another reference id", withReference(`"x"`), "MISMATCH", "", nil},
		}
		const document = `query($id: ID!, $ids: [ID!]) { deposits(perPage: 1) { totalCount } transaction(id: $id) { id
			notifications(ids: $ids) { nodes { id } links { notificationId source state notification { id } } }
			again: notifications(ids: $ids) { nodes { url } } states: notifications(ids: $ids) { links { state } } } }`
		g := start(t, func(o *options) { o.Upstream.Breaker.Percent, o.Upstream.Retries = 0, 0 }) // fields share records, see bubble
		g.withMetadata(transaction, "{}")
		for _, id := range []string{readable, unreadable, other} {
			g.put(ledger.Notification, notification(id, transaction))
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				for _, id := range []string{unreadable, other} {
					tt.fault.ID = id
					defer g.Box.Inject(tt.fault)()
				}
				send := func(ids ...string) response {
					return g.QueryAs(g.Box.Token(), document, variables{"id": transaction, "ids": ids})
				}
				all, some := send(unreadable, other), send(readable, unreadable, other)
				for _, a := range []response{all, some} {
					if a.Text("transaction", "id") != transaction || a.At("deposits") == nil {
						t.Errorf("another field failed: %s", a.Body)
					}
				}
				states := fmt.Sprintf("[1 ARGUMENT VERIFIED 2 ARGUMENT %[1]s 3 ARGUMENT %[1]s]", tt.state)
				if got := fmt.Sprint(linkStates(some)); got != states {
					t.Errorf("%s, want %s", got, states)
				}
				if tt.code == "" {
					if nodes := linkNodes(all.WantOK()) + "," + linkNodes(some.WantOK()); nodes != ",1" {
						t.Errorf("nodes %s", nodes)
					}
					return
				}
				if linkNodes(some) != "1--" || len(some.Errors) != 4 || len(all.Errors) != 3 {
					t.Errorf("%s\n%s", all.Body, some.Body)
				}
				for name, want := range tt.extensions {
					for _, err := range append(all.Errors, some.Errors...) {
						if got := err.Extensions[name]; fmt.Sprint(got) != fmt.Sprint(want) {
							t.Errorf("%v: %s is %v, want %v", err.Path, name, got, want)
						}
					}
				}
				for _, name := range []string{"notifications", "again", "states"} {
					if all.WantError(tt.code, "transaction", name); all.At("transaction", name) != nil {
						t.Errorf("%s is not null", name)
					}
					for i := 1; i <= 2 && name != "states"; i++ {
						some.WantError(tt.code, "transaction", name, "nodes", i)
					}
				}
			})
		}
	})
}

// TestUnreadableLinksMixed: the error of the field is one that a retry may resolve, if there is one.
func TestUnreadableLinksMixed(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		id := g.withMetadata("aaaaaaaa-bbbb-4ccc-8ddd-000000000002", "{}")
		g.Box.Inject(sandbox.Fault{ID: unreadable, Status: http.StatusForbidden})
		g.Box.Inject(sandbox.Fault{ID: other, Status: http.StatusInternalServerError})
		g.Query(linksDocument, variables{"id": id, "ids": []string{unreadable, other}}).WantError("UPSTREAM_ERROR", "transaction", "notifications")
		a := g.Query(linksDocument, variables{"id": id, "ids": []string{"missing", unreadable}})
		a.WantError("FORBIDDEN", "transaction", "notifications", "nodes", 0)
		if nodes := linkNodes(a); nodes != "-" || len(a.Errors) != 1 {
			t.Errorf("nodes %s, %v", nodes, a.Errors)
		}
	})
}

// TestLinksWithOpenBreaker: while a circuit breaker is open, the error says when a retry makes sense, and no call is
// made.
func TestLinksWithOpenBreaker(t *testing.T) {
	runWith(t, func(o *options) {
		o.Upstream.Breaker = client.BreakerConfig{Percent: 50, Calls: 2, Window: time.Hour, Wait: time.Hour}
	}, func(t *testing.T, g *gateway) {
		l := g.linked()
		defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteNotification, Status: http.StatusInternalServerError})()
		g.await("an open breaker", func() bool {
			a := g.Query(linksDocument, variables{"id": l.transaction})
			return a.Errors[0].Extensions["code"] == "UPSTREAM_UNAVAILABLE"
		})
		g.Box.ResetCalls()
		a := g.Query(linksDocument, variables{"id": l.transaction})
		err := a.WantError("UPSTREAM_UNAVAILABLE", "transaction", "notifications")
		if err.Extensions["retryable"] != true || err.Extensions["retryAfterMs"] == nil || a.At("transaction", "notifications") != nil {
			t.Errorf("%s", a.Body)
		}
		g.WantCalls(1, g.Token)
	})
}

// TestLinksNotConfigured: without a source of ids the field is null. The error names the argument and the setting.
func TestLinksNotConfigured(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.MetadataPointer = nil }, func(t *testing.T, g *gateway) {
		l := g.linked()
		for name, ids := range map[string][]string{"no argument": nil, "no ids": {}} {
			g.Box.ResetCalls()
			a := g.Query(linksDocument, variables{"id": l.transaction, "ids": ids})
			err := a.WantError("LINKS_NOT_CONFIGURED", "transaction", "notifications")
			if err.Extensions["input"] != "ids" || fmt.Sprint(err.Extensions["missingSettings"]) != "[links_metadata_pointer]" ||
				err.Extensions["retryable"] != false || a.At("transaction", "notifications") != nil || len(a.Errors) != 1 {
				t.Errorf("%s: %s", name, a.Body)
			}
			g.WantCalls(1, g.Token)
		}
		a := g.Query(linksDocument, variables{"id": l.transaction, "ids": []string{l.other}}).WantOK()
		if nodes := linkNodes(a); nodes != "" {
			t.Errorf("nodes %s", nodes)
		}
	})
}

// TestMetadataWithoutLinks: the list is empty only if the metadata can be read and has no ids.
func TestMetadataWithoutLinks(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		const invalid = "UPSTREAM_INVALID_RESPONSE"
		tooDeep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
		tests := []struct{ name, metadata, code string }{
			{"no ids", `{"notificationIds":[]}`, ""},
			{"another member", `{"a":["x"]}`, ""},
			{"null", `null`, ""},
			{"an id of another type", `{"notificationIds":[7,{}]}`, ""},
			{"invalid text", `{"notificationIds":[],"a":"\ud800"}`, invalid},
			{"more ids than are read", `{"notificationIds":[` + strings.Repeat(`"`+readable+`",`, 1000) + `7]}`, invalid},
			{"nested too deeply", `{"a":` + tooDeep + `}`, invalid},
		}
		for i, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				id := g.withMetadata(fmt.Sprintf("aaaaaaaa-bbbb-4ccc-8ddd-%012d", 100+i), tt.metadata)
				g.put(ledger.Notification, notification(readable, id))
				token := g.Box.Token()
				without := g.QueryAs(token, linksDocument, variables{"id": id})
				with := g.QueryAs(token, linksDocument, variables{"id": id, "ids": []string{readable}})
				if tt.code == "" {
					if nodes := linkNodes(without.WantOK()) + "," + linkNodes(with.WantOK()); nodes != ",1" {
						t.Errorf("nodes %s", nodes)
					}
					return
				}
				without.WantError(tt.code, "transaction", "notifications")
				with.WantError(tt.code, "transaction", "notifications", "nodes", 1)
				if nodes := linkNodes(with); nodes != "1-" {
					t.Errorf("nodes %s", nodes)
				}
			})
		}
	})
}
