package serve_test

import (
	"bytes"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/upstream/live"
)

// TestWebSocketHandshake: which clients may open a connection.
func TestWebSocketHandshake(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Serve.CORS.Origins = []string{"https://app.example.com"} }), func(_ *testing.T, g *gateway) {
		origin := func(values ...string) http.Header { return http.Header{"Origin": values} }
		tests := []struct {
			name      string
			header    http.Header
			protocols []string
			status    int // 0 if the connection opens
		}{
			{"no page", nil, []string{transportWS}, 0},
			{"several subprotocols", nil, []string{"graphql-ws", transportWS}, 0},
			{"the gateway's page", origin(g.URL), []string{transportWS}, 0},
			{"a page of an allowed origin", origin("https://app.example.com"), []string{transportWS}, 0},
			{"a page of another origin", origin("https://evil.example.com"), []string{transportWS}, http.StatusForbidden},
			{"a page with the gateway's name in its path", origin("https://evil.example.com/" + g.URL), []string{transportWS}, http.StatusForbidden},
			{"a page without an origin", origin("null"), []string{transportWS}, http.StatusForbidden},
			{"an empty origin", origin(""), []string{transportWS}, http.StatusForbidden},
			{"two origins", origin("https://app.example.com", "https://evil.example.com"), []string{transportWS}, http.StatusForbidden},
			{"no subprotocol", nil, nil, http.StatusBadRequest},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				s, err := g.dial(t, tt.header, tt.protocols...)
				var status ws.StatusError
				switch {
				case tt.status > 0:
					if !errors.As(err, &status) || int(status) != tt.status {
						t.Errorf("%v, want %d", err, tt.status)
					}
				case err != nil:
					t.Error(err)
				default:
					s.init(g.Token)
					s.want("connection_ack", "")
				}
			})
		}
		g.row("the older subprotocol", func(t testing.TB, g *gateway) {
			s, err := g.dial(t, nil, "graphql-ws")
			must(t, err)
			s.init(g.Token)
			if m := s.next(); m.close != 4406 || !strings.Contains(m.reason, transportWS) {
				t.Errorf("%+v", m)
			}
		})
	})
}

// TestWebSocketViolations: what a client may not send, and the close codes.
func TestWebSocketViolations(t *testing.T) {
	text := func(text string) []ws.Frame { return []ws.Frame{ws.NewTextFrame([]byte(text))} }
	large := func(size int) []ws.Frame {
		return text(`{"type":"ping","payload":"` + strings.Repeat("x", size) + `"}`)
	}
	withRsv := ws.NewTextFrame([]byte("{}"))
	withRsv.Header.Rsv = 4
	tests := []struct {
		name   string
		before bool // before connection_init
		frames []ws.Frame
		bytes  []byte // after the frames, without a mask
		close  int
	}{
		{name: "subscribe before connection_init", before: true, frames: text(`{"id":"1","type":"subscribe","payload":{"query":"{a}"}}`), close: 4401},
		{name: "large before connection_init", before: true, frames: large(70_000), close: 1009},
		{name: "a second connection_init", frames: text(`{"type":"connection_init"}`), close: 4429},
		{name: "no JSON", frames: text(`{`), close: 4400},
		{name: "an array", frames: text(`[]`), close: 4400},
		{name: "an empty message", frames: text(``), close: 4400},
		{name: "a duplicate member", frames: text(`{"type":"ping","type":"pong"}`), close: 4400},
		{name: "text after the object", frames: text(`{"type":"ping"}{}`), close: 4400},
		{name: "half a surrogate pair", frames: text(`{"type":"ping","payload":"\ud800"}`), close: 4400},
		{name: "deep", frames: text(`{"type":"ping","payload":` + strings.Repeat("[", 40_000)), close: 4400},
		{name: "an unknown type", frames: text(`{"type":"start","id":"1"}`), close: 4400},
		{name: "a type of the server", frames: text(`{"type":"next","id":"1"}`), close: 4400},
		{name: "no type", frames: text(`{"id":"1"}`), close: 4400},
		{name: "subscribe without an id", frames: text(`{"type":"subscribe","payload":{"query":"{a}"}}`), close: 4400},
		{name: "a long id", frames: text(`{"type":"subscribe","id":"` + strings.Repeat("x", 129) + `","payload":{"query":"{a}"}}`), close: 4400},
		{name: "an id that is a number", frames: text(`{"type":"subscribe","id":1,"payload":{"query":"{a}"}}`), close: 4400},
		{name: "subscribe without a payload", frames: text(`{"type":"subscribe","id":"1"}`), close: 4400},
		{name: "subscribe without a query", frames: text(`{"type":"subscribe","id":"1","payload":{}}`), close: 4400},
		{name: "a batch", frames: text(`{"type":"subscribe","id":"1","payload":[{"query":"{a}"}]}`), close: 4400},
		{name: "a binary message", frames: []ws.Frame{ws.NewBinaryFrame([]byte(`{"type":"ping"}`))}, close: 1003},
		{name: "invalid UTF-8", frames: text("{\"type\":\"ping\xff\"}"), close: 1007},
		{name: "a long frame", frames: large(100_000), close: 1009},
		{name: "long fragments", frames: []ws.Frame{
			ws.NewFrame(ws.OpText, false, make([]byte, 60_000)), ws.NewFrame(ws.OpContinuation, true, make([]byte, 60_000)),
		}, close: 1009},
		{name: "reserved bits", frames: []ws.Frame{withRsv}, close: 1002},
		{name: "a reserved opcode", frames: []ws.Frame{ws.NewFrame(3, true, nil)}, close: 1002},
		{name: "a long ping", frames: []ws.Frame{ws.NewPingFrame(make([]byte, 126))}, close: 1002},
		{name: "a fragmented ping", frames: []ws.Frame{ws.NewFrame(ws.OpPing, false, nil)}, close: 1002},
		{name: "a continuation of nothing", frames: []ws.Frame{ws.NewFrame(ws.OpContinuation, true, nil)}, close: 1002},
		{name: "a message within a message", frames: []ws.Frame{
			ws.NewFrame(ws.OpText, false, []byte("{")), ws.NewTextFrame([]byte("{}")),
		}, close: 1002},
		{name: "a close frame of one byte", frames: []ws.Frame{ws.NewCloseFrame([]byte{3})}, close: 1002},
		{name: "a close frame with a reserved code", frames: []ws.Frame{ws.NewCloseFrame(ws.NewCloseFrameBody(1005, ""))}, close: 1002},
		{name: "a close frame that is not UTF-8", frames: []ws.Frame{ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "\xff"))}, close: 1002},
		{name: "a close frame without a code", frames: []ws.Frame{ws.NewCloseFrame(nil)}, close: 1000},
		{name: "a frame without a mask", bytes: ws.MustCompileFrame(ws.NewTextFrame([]byte(`{"type":"ping"}`))), close: 1002},
		{name: "a length with the first bit", bytes: append([]byte{0x81, 0xff}, bytes.Repeat([]byte{0xff}, 12)...), close: 1002},
		{name: "a close frame with a code", frames: []ws.Frame{ws.NewCloseFrame(ws.NewCloseFrameBody(4321, "bye"))}, close: 4321},
	}
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.MaxBody = 100_000 })
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				s := g.open(t)
				if !tt.before {
					s.init(g.Token)
					s.want("connection_ack", "")
				}
				for _, frame := range tt.frames {
					s.frame(frame)
				}
				_, _ = s.conn.Write(tt.bytes) // the gateway may have closed the connection
				s.wantClose(tt.close)
				g.awaitSockets(0)
			})
		}
		g.row("the same id twice", func(t testing.TB, g *gateway) {
			s := g.connect(t, g.Token)
			s.subscribe("1", watchTransaction, variables{"id": g.transactionIDs(1)[0]})
			s.wantEvent("1", live.Snapshot)
			s.subscribe("1", "{ deposits { totalCount } }")
			s.wantClose(4409)
			g.awaitStreams(0)
			g.awaitSockets(0)
		})
	})
}

// TestWebSocketFragments: a message may have many fragments, with control frames between them.
func TestWebSocketFragments(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		s := g.connect(t, g.Token)
		const message = `{"type":"subscribe","id":"é","payload":{"query":"{ deposits { totalCount } }"}}`
		for i := range len(message) { // a character has two fragments
			kind := ws.OpContinuation
			if i == 0 {
				kind = ws.OpText
			}
			s.frame(ws.NewFrame(kind, false, []byte{message[i]}))
			if i%10 == 0 {
				s.frame(ws.NewPingFrame([]byte("now")))
				frame, err := ws.ReadFrame(s.in)
				if err != nil || frame.Header.OpCode != ws.OpPong || string(frame.Payload) != "now" {
					t.Fatalf("%v %v", frame, err)
				}
			}
		}
		s.frame(ws.NewFrame(ws.OpContinuation, true, nil))
		s.want("next", "é")
		s.want("complete", "é")
	})
}

// TestWebSocketAtRest: an idle connection has one goroutine, with and without a token, and its streams have none.
func TestWebSocketAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.Live.Interval = time.Hour })
		const connections = 200
		g.connect(t, g.Token).frame(ws.NewCloseFrame(nil))
		g.awaitSockets(0)
		before := runtime.NumGoroutine()
		for i := range connections {
			s := g.open(t)
			if i%2 == 0 {
				s.init(g.Token)
				s.want("connection_ack", "")
				s.subscribe("1", watchTransaction, variables{"id": g.transactionIDs(1)[0]})
				s.wantEvent("1", live.Snapshot)
			}
		}
		const others = 20 // the engine's, and those of connections to the sandbox
		g.await("one goroutine for each connection", func() bool { return runtime.NumGoroutine() <= before+connections+others })
		g.Handler.DrainStreams(0)
		g.awaitSockets(0)
		g.awaitStreams(0)
	})
}
