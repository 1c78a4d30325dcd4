package serve_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"
)

// protocol is one of the protocols of streams.
type protocol int

const (
	overSSE protocol = iota
	overMultipart
	overWebSocket
)

func (p protocol) String() string { return [...]string{"SSE", "multipart", "WebSocket"}[p] }

// watched is a stream over any protocol.
type watched struct {
	next     func() []byte // the response of the next event; nil for the sign that the stream is complete
	close    func()
	received *bytes.Buffer // every byte so far, without the header
}

// watch begins a subscription over a protocol.
func (g *gateway) watch(t testing.TB, over protocol, token, document string, vars variables) watched {
	t.Helper()
	if over == overWebSocket {
		return g.watchSocket(t, token, document, vars)
	}
	accept := [...]string{"text/event-stream", `multipart/mixed;subscriptionSpec="1.0"`}[over]
	g = g.within(t)
	g.Token = token
	resp := g.Open(http.Header{"Accept": {accept}, "X-Request-Id": {"r"}}, document, vars)
	w := watched{received: &bytes.Buffer{}, close: func() { _ = resp.Body.Close() }}
	lines := bufio.NewReader(io.TeeReader(resp.Body, w.received))
	begin, complete := [...]string{"data: ", `{"payload":`}[over], [...]string{"event: complete", "--graphql--"}[over]
	w.next = func() []byte {
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatalf("a stream over %v ends with %v", over, err)
			}
			line = bytes.TrimRight(line, "\r\n")
			if response, ok := bytes.CutPrefix(line, []byte(begin)); ok {
				if over == overMultipart {
					response = bytes.TrimSuffix(response, []byte("}"))
				}
				return response
			}
			if string(line) == complete {
				return nil
			}
		}
	}
	return w
}

func (g *gateway) watchSocket(t testing.TB, token, document string, vars variables) watched {
	t.Helper()
	s := g.connect(t, token)
	w := watched{received: &bytes.Buffer{}, close: func() { _ = s.conn.Close() }}
	s.in = io.TeeReader(s.in, w.received)
	s.subscribe("1", document, vars)
	w.next = func() []byte {
		m := s.next()
		if m.Type != "next" && m.Type != "complete" {
			t.Fatalf("a stream over WebSocket has %+v %s", m, m.Payload)
		}
		return m.Payload
	}
	return w
}
