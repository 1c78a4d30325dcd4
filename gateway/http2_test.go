package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// opened is a stream over HTTP/2.
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
	if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %d", resp.Proto, resp.StatusCode)
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

// TestStreamsOverHTTP2: streams of one connection, in each protocol, get their events and heartbeats. The final one is complete, and
// the stream of a client that leaves ends.
func TestStreamsOverHTTP2(t *testing.T) {
	s := launchSecured(t, "--live-interval=20ms", "--live-heartbeat=50ms")
	id := s.box.Samples().OpenTransaction
	client := s.client(t, true, nil)
	left := s.openStream(t, client, acceptSSE, id)
	sse, multipart := s.openStream(t, client, acceptSSE, id), s.openStream(t, client, acceptMultipart, id)
	for _, stream := range []*opened{left, sse, multipart} {
		stream.until(`"reason":"SNAPSHOT"`)
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

// TestDrainOverHTTP2: a gateway that is stopped serves requests of open connections, and sends their clients elsewhere. Streams end,
// not as complete, running operations finish, and no goroutine is left.
func TestDrainOverHTTP2(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := launchSecured(t, "--live-heartbeat=50ms")
	client := s.client(t, true, nil)
	stream := s.openStream(t, client, acceptSSE, s.box.Samples().OpenTransaction)
	stream.until(`"reason":"SNAPSHOT"`)
	held := make(chan gatewaytest.Response, 1)
	s.box.ResetCalls()
	gate := make(chan struct{})
	s.box.Inject(sandbox.Fault{Gate: gate})
	go func() { held <- s.as(client).Query("{ deposits { totalCount } }") }()
	if err := s.box.AwaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	s.stop()
	rest, err := io.ReadAll(stream.lines)
	if err == nil || strings.Contains(string(rest), "complete") {
		t.Errorf("the stream ends as if it were complete: %q, %v", rest, err)
	}
	close(gate)
	(<-held).WantOK()
	if err := s.wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	client.CloseIdleConnections()
	http.DefaultClient.CloseIdleConnections()
	s.box.Close()
	goleak.VerifyNone(t, before)
}

// TestRequestsWhileDrainingOverHTTP2: during shutdown_delay requests are served, and the client of each connection is told to open
// another one, which a load balancer sends elsewhere.
func TestRequestsWhileDrainingOverHTTP2(t *testing.T) {
	s := launchSecured(t, "--shutdown-delay=1h")
	var reused atomic.Int64
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Reused {
			reused.Add(1)
		}
	}}
	request := func() {
		t.Helper()
		req := s.request(http.MethodGet, "/schema.graphql", "")
		if resp := s.Send(req.WithContext(httptrace.WithClientTrace(t.Context(), trace)), nil); resp.Status != http.StatusOK {
			t.Fatalf("status %d", resp.Status)
		}
	}
	for range 10 {
		request()
	}
	if reused.Load() != 9 {
		t.Errorf("%d requests of 10 used an open connection", reused.Load())
	}
	s.stop()
	waitFor(t, func() bool { return s.admin.Get("/readyz").Status == http.StatusServiceUnavailable })
	request()
	reused.Store(0)
	waitFor(t, func() bool { request(); return reused.Swap(0) == 0 })
	close(s.over)
	if err := s.wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

// TestWebSocketOverTLS: WebSockets are opened with HTTP/1.1, for which a client has a connection of its own.
func TestWebSocketOverTLS(t *testing.T) {
	s := launchSecured(t)
	conn := s.dialSocket(ws.Dialer{TLSConfig: &tls.Config{RootCAs: s.ca.Pool(), NextProtos: []string{"http/1.1"}}})
	defer conn.Close()
	s.wantMessage(conn, `{"type":"connection_init","payload":{"Authorization":"Bearer `+s.Token+`"}}`, `{"type":"connection_ack"}`)
	s.wantMessage(conn, `{"type":"subscribe","id":"1","payload":{"query":"{ deposits { totalCount } }"}}`, `"totalCount":50`)
}
