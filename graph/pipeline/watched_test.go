package pipeline_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"pixgraph/test/gatewaytest"
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
func (g *gateway) watch(t *testing.T, over protocol, token, document string, vars variables) watched {
	t.Helper()
	if over == overWebSocket {
		return g.watchSocket(t, token, document, vars)
	}
	body, err := json.Marshal(map[string]any{"query": document, "variables": vars})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), gatewaytest.Timeout)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/graphql", bytes.NewReader(body))
	must(t, err)
	accept := [...]string{"text/event-stream", `multipart/mixed;subscriptionSpec="1.0"`}[over]
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {accept}, "Authorization": {"Bearer " + token}, "X-Request-Id": {"r"},
	}
	resp, err := g.HTTP.Do(req)
	must(t, err)
	w := watched{received: &bytes.Buffer{}, close: func() { cancel(); _ = resp.Body.Close() }}
	t.Cleanup(w.close)
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

func (g *gateway) watchSocket(t *testing.T, token, document string, vars variables) watched {
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
