package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/live"
)

// socket is a WebSocket of a client.
type socket struct {
	t    testing.TB
	conn net.Conn
	in   io.Reader
}

// received is what a client receives: a message, or a close frame.
type received struct {
	Type    string
	ID      string
	Payload json.RawMessage
	close   ws.StatusCode // 0 for a message
	reason  string
}

const transportWS = "graphql-transport-ws"

// dial opens a WebSocket.
func (g *gateway) dial(t testing.TB, header http.Header, protocols ...string) (*socket, error) {
	t.Helper()
	dialer := ws.Dialer{Protocols: protocols, Header: ws.HandshakeHeaderHTTP(header), NetDial: g.Network.DialContext}
	conn, buffered, _, err := dialer.Dial(t.Context(), strings.Replace(g.URL, "http", "ws", 1)+"/graphql")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(gatewaytest.Timeout)))
	s := &socket{t, conn, conn}
	if buffered != nil {
		s.in = buffered
	}
	return s, nil
}

// open opens a WebSocket without a token.
func (g *gateway) open(t testing.TB) *socket {
	t.Helper()
	s, err := g.dial(t, nil, transportWS)
	must(t, err)
	return s
}

// connect opens a WebSocket with a token in connection_init.
func (g *gateway) connect(t testing.TB, token string) *socket {
	t.Helper()
	s := g.open(t)
	s.init(token)
	s.want("connection_ack", "")
	return s
}

func (s *socket) init(token string) {
	s.send(`{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`)
}

// send sends a text message.
func (s *socket) send(text string) { s.frame(ws.NewTextFrame([]byte(text))) }

// frame sends a frame with a mask. The gateway may have closed the connection.
func (s *socket) frame(f ws.Frame) { _ = ws.WriteFrame(s.conn, ws.MaskFrame(f)) }

// subscribe sends a subscribe message.
func (s *socket) subscribe(id, document string, vars ...variables) {
	s.t.Helper()
	payload := map[string]any{"query": document}
	if len(vars) > 0 {
		payload["variables"] = vars[0]
	}
	text, err := json.Marshal(map[string]any{"id": id, "type": "subscribe", "payload": payload})
	must(s.t, err)
	s.send(string(text))
}

// next reads the next message or close frame. It answers pings.
func (s *socket) next() received {
	s.t.Helper()
	for {
		frame, err := ws.ReadFrame(s.in)
		if err != nil {
			s.t.Fatalf("the connection ended without a close frame: %v", err)
		}
		switch frame.Header.OpCode {
		case ws.OpPing:
			s.frame(ws.NewPongFrame(frame.Payload))
		case ws.OpClose:
			code, reason := ws.ParseCloseFrameData(frame.Payload)
			s.frame(ws.NewCloseFrame(frame.Payload))
			return received{close: code, reason: reason}
		case ws.OpText:
			var m received
			must(s.t, json.Unmarshal(frame.Payload, &m))
			return m
		default:
			return received{Type: fmt.Sprint("frame ", frame.Header.OpCode)}
		}
	}
}

// want reads the next message and compares its type and its id.
func (s *socket) want(kind, id string) received {
	s.t.Helper()
	m := s.next()
	if m.Type != kind || m.ID != id {
		s.t.Fatalf("%s %q %s %d %s, want %s %q", m.Type, m.ID, m.Payload, m.close, m.reason, kind, id)
	}
	return m
}

// wantEvent reads the next event of a subscription.
func (s *socket) wantEvent(id string, reason live.Reason) event {
	s.t.Helper()
	m := s.want("next", id)
	e := event{}
	e.T, e.Body = s.t, m.Payload
	must(s.t, json.Unmarshal(m.Payload, &e.Response))
	var shown struct {
		Extensions struct{ Live json.RawMessage }
	}
	must(s.t, json.Unmarshal(m.Payload, &shown))
	must(s.t, json.Unmarshal(shown.Extensions.Live, &e.Live))
	if reason != "" && e.Live.Reason != string(reason) {
		s.t.Fatalf("%s, want %s", m.Payload, reason)
	}
	return e
}

// wantError reads the error message of an operation.
func (s *socket) wantError(id, code string) {
	s.t.Helper()
	m := s.want("error", id)
	var errs []gatewaytest.Error
	must(s.t, json.Unmarshal(m.Payload, &errs))
	if len(errs) == 0 || errs[0].Extensions["code"] != code {
		s.t.Errorf("%s, want %s", m.Payload, code)
	}
}

// wantClose reads the close frame and the end of the connection.
func (s *socket) wantClose(code int) {
	s.t.Helper()
	m := s.next()
	if int(m.close) != code {
		s.t.Fatalf("%s %q %s, close %d %s, want close %d", m.Type, m.ID, m.Payload, m.close, m.reason, code)
	}
	if n, err := s.in.Read(make([]byte, 1)); err == nil || errors.Is(err, net.ErrClosed) {
		s.t.Errorf("%d bytes after the close frame", n)
	}
}

// awaitSockets waits until so many WebSockets are open.
func (g *gateway) awaitSockets(n int) {
	g.T.Helper()
	g.await(fmt.Sprint(n, " WebSockets"), func() bool { return g.Handler.WebSockets() == n })
}
