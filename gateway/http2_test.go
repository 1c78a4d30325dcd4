package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// opened is a stream over TLS.
type opened struct {
	*testing.T
	resp  *http.Response
	lines *bufio.Reader
	close context.CancelFunc
}

// openStream begins a subscription to a transaction.
func (s *secured) openStream(t *testing.T, client *http.Client, accept, id string) *opened {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	body := fmt.Sprintf(`{"query":"subscription { transaction(id: \"%s\", until: [PAID]) { status } }"}`, id)
	req := s.request(http.MethodPost, "/graphql", body).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Accept", accept)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return &opened{t, resp, bufio.NewReader(resp.Body), cancel}
}

// until reads lines until one has all parts.
func (o *opened) until(parts ...string) {
	o.Helper()
	for {
		line, err := o.lines.ReadString('\n')
		if err != nil {
			o.Fatalf("before %v: %v", parts, err)
		}
		missing := 0
		for _, part := range parts {
			if !strings.Contains(line, part) {
				missing++
			}
		}
		if missing == 0 {
			return
		}
	}
}

const acceptSSE, acceptMultipart = "text/event-stream", `multipart/mixed;subscriptionSpec="1.0"`

// TestStreamsOverHTTP2: streams of one connection, in each protocol, get their events and heartbeats. The final one is
// complete, and the stream of a client that leaves ends.
func TestStreamsOverHTTP2(t *testing.T) {
	s := launchSecured(t, "--live-interval=20ms", "--live-heartbeat=50ms")
	id := s.box.Samples().OpenTransaction
	client := s.client(t, true, nil)
	left := s.openStream(t, client, acceptSSE, id)
	sse, multipart := s.openStream(t, client, acceptSSE, id), s.openStream(t, client, acceptMultipart, id)
	for _, stream := range []*opened{left, sse, multipart} {
		if stream.until(`"reason":"SNAPSHOT"`); stream.resp.ProtoMajor != 2 {
			t.Error(stream.resp.Proto)
		}
	}
	for range 3 {
		sse.until(":")
		multipart.until("{}")
	}
	left.close()
	waitFor(t, func() bool { return strings.Contains(s.stderr.String(), `"protocol":"sse","reason":"client"`) })
	if !s.box.Ledger().SetStatus(id, "PAID") {
		t.Fatal("the status cannot be set")
	}
	sse.until(`"status":"PAID"`, `"final":true`)
	sse.until("event: complete")
	multipart.until(`"status":"PAID"`, `"final":true`)
	for _, stream := range []*opened{sse, multipart} {
		rest, err := io.ReadAll(stream.lines)
		if err != nil {
			t.Errorf("a complete stream ends with %q, %v", rest, err)
		}
	}
	waitFor(t, func() bool { return strings.Contains(s.scrape(), "pixgraph_http_requests_in_flight 0\n") })
	s.as(client).Query("{ deposits { totalCount } }").WantOK()
}

// TestWebSocketOverTLS: WebSockets are opened with HTTP/1.1, for which a client has a connection of its own.
func TestWebSocketOverTLS(t *testing.T) {
	s := launchSecured(t)
	conn := s.dialSocket(ws.Dialer{TLSConfig: &tls.Config{RootCAs: s.ca.Pool(), NextProtos: []string{"http/1.1"}}})
	defer conn.Close()
	s.wantMessage(conn, `{"type":"connection_init","payload":{"Authorization":"Bearer `+s.Token+`"}}`, `{"type":"connection_ack"}`)
	s.wantMessage(conn, `{"type":"subscribe","id":"1","payload":{"query":"{ deposits { totalCount } }"}}`, `"totalCount":50`)
}
