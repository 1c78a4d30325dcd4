package gateway_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// opened is a stream over TLS.
type opened struct {
	*testing.T
	resp  *http.Response
	lines *bufio.Reader
}

// openStream begins a subscription to a transaction.
func (s *secured) openStream(client gatewaytest.Client, accept, id string) *opened {
	s.t.Helper()
	resp := client.OpenAs(s.Token, accept, fmt.Sprintf(`subscription { transaction(id: %q, until: [PAID]) { status } }`, id))
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d", resp.StatusCode)
	}
	return &opened{s.t, resp, bufio.NewReader(resp.Body)}
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
	synctest.Test(t, func(t *testing.T) {
		s := startSecured(t)
		id := s.box.Samples().OpenTransaction
		client := s.as(s.client(t, true, nil))
		left := s.openStream(client, acceptSSE, id)
		sse, multipart := s.openStream(client, acceptSSE, id), s.openStream(client, acceptMultipart, id)
		for _, stream := range []*opened{left, sse, multipart} {
			if stream.until(`"reason":"SNAPSHOT"`); stream.resp.ProtoMajor != 2 {
				t.Error(stream.resp.Proto)
			}
		}
		for range 3 {
			sse.until(":")
			multipart.until("{}")
		}
		time.Sleep(time.Second) // not while a heartbeat is written, which would fail
		_ = left.resp.Body.Close()
		synctest.Wait()
		if log := s.Stderr.String(); !strings.Contains(log, `"protocol":"sse","reason":"client"`) {
			t.Errorf("the log lacks the end of the stream: %s", log)
		}
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
		if text := scrape(s.Replica); !strings.Contains(text, "pixgraph_http_requests_in_flight 0\n") {
			t.Errorf("requests are in flight: %s", text)
		}
		client.Query("{ deposits { totalCount } }").WantOK()
	})
}

// TestAwaitOverTLS: a query that waits may take as long after the wait as others.
func TestAwaitOverTLS(t *testing.T) {
	eachProtocol(t, func(t *testing.T, http2 bool) {
		s := startSecured(t)
		client := s.as(s.client(t, http2, nil))
		s.box.Inject(sandbox.Fault{Service: sandbox.Dispatcher, Latency: 7 * time.Second})
		client.Query(fmt.Sprintf(`{
			awaitTransaction(id: %q, until: [PAID], timeoutSeconds: 1) { status }
			notification(id: %q) { status }
		}`, s.box.Samples().OpenTransaction, s.box.Samples().Notification)).WantOK()
	})
}

// TestWebSocketOverTLS: WebSockets are opened with HTTP/1.1, for which a client has a connection of its own.
func TestWebSocketOverTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecured(t)
		conn := s.Socket(ws.Dialer{TLSConfig: &tls.Config{RootCAs: s.ca.Pool(), NextProtos: []string{"http/1.1"}}})
		s.WantMessage(conn, `{"type":"connection_init","payload":{"Authorization":"Bearer `+s.Token+`"}}`, `{"type":"connection_ack"}`)
		s.WantMessage(conn, `{"type":"subscribe","id":"1","payload":{"query":"{ deposits { totalCount } }"}}`, `"totalCount":50`)
	})
}
