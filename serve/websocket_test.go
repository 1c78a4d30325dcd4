package serve_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/upstream/live"
)

// TestWebSocket: a query over a connection gives what it gives over HTTP. TestEventsAreTheQuery tests subscriptions.
func TestWebSocket(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		vars := variables{"id": g.Box.Samples().OpenTransaction}
		s := g.connect(t, g.Token)
		const query = `query($id: ID!) { transaction(id: $id) { id status amount payer { name } statusHistory { status } } }`
		const id = `a "quoted" id`
		for range 2 { // the id may be used again
			s.subscribe(id, query, vars)
			want := g.Query(query, vars).WantOK()
			if got := s.want("next", id); string(got.Payload) != strings.TrimSpace(string(want.Body)) {
				t.Errorf("%s, want %s", got.Payload, want.Body)
			}
			s.want("complete", id)
		}
		s.send(`{"type":"ping"}`)
		s.want("pong", "")
		s.frame(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, "")))
		s.wantClose(1000)
	})
}

// TestWebSocketCalls: the operations of a WebSocket have few calls in flight together, and all are answered. Those of
// another connection do not wait for them.
func TestWebSocketCalls(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Upstream.Coalesce = false }), func(t *testing.T, g *gateway) {
		const socketCalls, operations = 8, 50
		gate := make(chan struct{})
		g.Box.Inject(sandbox.Fault{Gate: gate})
		s := g.connect(t, g.Token)
		for i := range operations {
			s.subscribe(fmt.Sprint(i), deposits(i), nil)
		}
		synctest.Wait()
		if calls := len(g.Box.Calls()); calls != socketCalls {
			t.Errorf("%d calls in flight", calls)
		}
		other := g.connect(t, g.Token)
		other.subscribe("other", deposits(operations), nil)
		g.AwaitCalls(socketCalls + 1)
		close(gate)
		other.want("next", "other")
		for range operations {
			for _, kind := range []string{"next", "complete"} {
				if m := s.next(); m.Type != kind && m.Type != "next" && m.Type != "complete" {
					t.Errorf("%+v", m)
				}
			}
		}
		g.WantCalls(operations+1, g.Token)
	})
}

// TestWebSocketCompletes: a complete message, and the end of the connection, end streams.
func TestWebSocketCompletes(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		s := g.connect(t, g.Token)
		ids := g.transactionIDs(2)
		for _, id := range ids {
			s.subscribe(id, watchTransaction, variables{"id": id})
			s.wantEvent(id, live.Snapshot)
		}
		g.awaitStreams(2)
		s.send(`{"type":"complete","id":"` + ids[0] + `"}`)
		s.send(`{"type":"complete","id":"unknown"}`)
		g.awaitStreams(1)
		s.subscribe(ids[0], watchTransaction, variables{"id": ids[0]})
		s.wantEvent(ids[0], live.Snapshot)
		g.awaitStreams(2)
		must(t, s.conn.Close())
		g.awaitStreams(0)
	})
}

// TestWebSocketToken: where the token may be, and the close codes for those that are not accepted.
func TestWebSocketToken(t *testing.T) {
	runWith(t, quick, func(_ *testing.T, g *gateway) {
		expired := g.Box.Issuer().Mint(issuer.Grant{TTL: -time.Hour})
		header := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
		const empty = `{"type":"connection_init"}`
		in := func(name, token string) string {
			return `{"type":"connection_init","payload":{"` + name + `":"Bearer ` + token + `"}}`
		}
		tests := []struct {
			name   string
			header http.Header
			init   string
			close  int // 0 for an ack
		}{
			{"in the header", header(g.Token), empty, 0},
			{"in the header, with a payload", header(g.Token), `{"type":"connection_init","payload":{"x":1}}`, 0},
			{"in the payload", nil, in("Authorization", g.Token), 0},
			{"in the payload, in lower case", nil, in("authorization", g.Token), 0},
			{"the payload before the header", header("x"), in("Authorization", g.Token), 0},
			{"none", nil, empty, 4401},
			{"a null payload", nil, `{"type":"connection_init","payload":null}`, 4401},
			{"in both members", nil, `{"type":"connection_init","payload":{"Authorization":"Bearer x","authorization":"Bearer y"}}`, 4401},
			{"malformed", nil, in("Authorization", "x"), 4401},
			{"malformed in the header", header("x"), empty, 4401},
			{"a bad one before a good header", header(g.Token), in("Authorization", "x"), 4401},
			{"expired", nil, in("Authorization", expired), 4403},
			{"expired in the header", header(expired), empty, 4403},
			{"not a string", nil, `{"type":"connection_init","payload":{"Authorization":1}}`, 4400},
			{"not an object", nil, `{"type":"connection_init","payload":[]}`, 4400},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				s, err := g.dial(t, tt.header, transportWS)
				must(t, err)
				s.send(tt.init)
				if tt.close > 0 {
					s.wantClose(tt.close)
					return
				}
				s.want("connection_ack", "")
				s.subscribe("1", "{ deposits { totalCount } }")
				s.want("next", "1")
			})
		}
	})
}

// TestWebSocketExpires: a connection is closed when its token expires, also without streams.
func TestWebSocketExpires(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		short := g.Box.Issuer().Mint(issuer.Grant{Subject: "short", TTL: 10 * time.Second})
		idle, busy := g.connect(t, short), g.connect(t, short)
		busy.subscribe("1", watchTransaction, variables{"id": g.transactionIDs(1)[0]})
		busy.wantEvent("1", live.Snapshot)
		busy.wantClose(4403)
		idle.wantClose(4403)
		g.awaitStreams(0)
	})
}

// TestWebSocketLifetime: a connection is closed at the end of its lifetime, with a code after which clients connect
// again.
func TestWebSocketLifetime(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.Live.Lifetime = time.Second }, func(t *testing.T, g *gateway) {
		g.connect(t, g.Token).wantClose(1012)
	})
}

// TestDrainWebSockets: drain closes connections with a code after which clients connect again, and rejects new ones.
func TestDrainWebSockets(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		idle, busy, silent := g.connect(t, g.Token), g.connect(t, g.Token), g.open(t)
		busy.subscribe("1", watchTransaction, variables{"id": g.transactionIDs(1)[0]})
		busy.wantEvent("1", live.Snapshot)
		g.Handler.DrainStreams(time.Millisecond)
		for _, s := range []*socket{idle, busy, silent} {
			s.wantClose(1012)
		}
		var status ws.StatusError
		if _, err := g.dial(t, nil, transportWS); !errors.As(err, &status) || status != http.StatusServiceUnavailable {
			t.Errorf("%v", err)
		}
	})
}

// TestWebSocketOperationsRefused: what is refused before execution is an error message, and makes no call. The
// connection stays open.
func TestWebSocketOperationsRefused(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Serve.Limits.MaxCost = 10 }), func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		limited := g.Box.Issuer().Mint(issuer.Grant{})
		s := g.connect(t, limited)
		g.Box.ResetCalls()
		tests := []struct{ name, document, code string }{
			{"malformed", "{", "GRAPHQL_PARSE_FAILED"},
			{"invalid", "{ x }", "GRAPHQL_VALIDATION_FAILED"},
			{"a mutation", "mutation { x }", "GRAPHQL_VALIDATION_FAILED"},
			{"two fields", `subscription { a: deposits { totalCount } b: deposits { totalCount } }`, "GRAPHQL_VALIDATION_FAILED"},
			{"no status", `subscription { transaction(id: "` + id + `", until: []) { id } }`, "BAD_USER_INPUT"},
			{"without the scope", `subscription { notification(id: "` + g.Box.Ledger().Notifications()[0].ID + `") { id } }`, "FORBIDDEN"},
			{"too expensive", `{ transactions(ids: ["` + strings.Join(g.transactionIDs(20), `","`) + `"]) { id } }`, "LIMIT_EXCEEDED"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, _ *gateway) {
				s := &socket{t, s.conn, s.in}
				s.subscribe(tt.name, tt.document)
				s.wantError(tt.name, tt.code)
			})
		}
		g.WantNoCalls()
		s.send(`{"type":"subscribe","id":"1","payload":{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + strings.Repeat("0", 64) + `"}}}}`)
		s.wantError("1", "PERSISTED_QUERY_NOT_FOUND")
		s.send(`{"type":"subscribe","id":"1","payload":{"query":"{a}","variables":{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}}`)
		s.wantError("1", "LIMIT_EXCEEDED")
	})
}

// TestWebSocketBounds: a connection has as many streams as its caller may have, and the bounds of rates hold.
func TestWebSocketBounds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(*options)
		streams  int // that are accepted
		code     string
		rejected uint64 // because of all callers
	}{
		{"a stream of a caller", func(o *options) { o.Serve.Live.StreamsPerCaller = 1 }, 1, "LIMIT_EXCEEDED", 0},
		{"streams of a caller", func(o *options) { o.Serve.Live.StreamsPerCaller = 150 }, 150, "LIMIT_EXCEEDED", 0},
		{"streams of all callers", func(o *options) { o.Serve.Live.Streams = 2 }, 2, "OVERLOADED", 1},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t, slowReads, tt.change)
			s, vars := g.connect(t, g.Token), variables{"id": g.transactionIDs(1)[0]}
			for i := range tt.streams {
				s.subscribe(fmt.Sprint(i), watchTransaction, vars)
				s.wantEvent(fmt.Sprint(i), live.Snapshot)
			}
			s.subscribe("more", watchTransaction, vars)
			s.wantError("more", tt.code)
			g.wantRejectedStreams(t, tt.rejected)
			s.send(`{"type":"complete","id":"0"}`)
			g.awaitStreams(tt.streams - 1)
			s.subscribe("more", watchTransaction, vars)
			s.wantEvent("more", live.Snapshot)
		})
	}
	bubble(t, "connections of all callers", func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.Live.Streams = 1 })
		first := g.connect(t, g.Token)
		second := g.open(t)
		second.init(g.Token)
		second.wantClose(1013)
		g.wantRejectedStreams(t, 1)
		first.frame(ws.NewCloseFrame(nil))
		first.wantClose(1000)
		g.awaitSockets(0)
		g.connect(t, g.Token)
	})
	bubble(t, "rate", func(t *testing.T) {
		g := start(t, func(o *options) {
			o.Serve.Limits.Rate.PerIdentity.PerSecond, o.Serve.Limits.Rate.PerIdentity.Burst = 0.001, 1
		})
		s := g.connect(t, g.Token)
		s.subscribe("1", "{ deposits { totalCount } }")
		s.want("next", "1")
		s.want("complete", "1")
		s.subscribe("2", "{ deposits { totalCount } }")
		s.wantError("2", "RATE_LIMITED")
	})
}

// TestWebSocketHeaders: the headers of the request that opens a connection hold for its operations.
func TestWebSocketHeaders(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		s, err := g.dial(t, http.Header{"X-Pixgraph-Cost": {"1"}, "Authorization": {"Bearer " + g.Token}}, transportWS)
		must(t, err)
		s.send(`{"type":"connection_init"}`)
		s.want("connection_ack", "")
		s.subscribe("1", "{ deposits { totalCount } }")
		if m := s.want("next", "1"); !strings.Contains(string(m.Payload), `"extensions":{"cost":{"upstreamCalls":1,`) {
			t.Errorf("%s", m.Payload)
		}
	})
}

// TestWebSocketComplete: an operation that its client completes, or whose connection is closed, is no error of the
// gateway.
func TestWebSocketComplete(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for range 20 {
			s := g.connect(t, g.Token)
			for i := range 20 {
				id := fmt.Sprint(i)
				s.subscribe(id, "{ deposits { totalCount } }")
				s.send(`{"type":"complete","id":"` + id + `"}`)
			}
			s.subscribe("last", "{ deposits { totalCount } }")
			s.frame(ws.NewCloseFrame(nil))
		}
		g.awaitSockets(0)
		g.Handler.EndStreams() // waits for the operations of WebSockets
		if text := g.Log.String(); strings.Contains(text, `"level":"ERROR"`) {
			t.Error(text)
		}
	})
}
