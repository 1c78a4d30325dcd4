package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// subscribe begins a subscription over SSE to a transaction that does not change.
func (r *running) subscribe(client *http.Client, box *sandbox.Sandbox, token string) (*http.Response, error) {
	req := r.request(http.MethodPost, "/graphql", fmt.Sprintf(
		`{"query":"subscription Waiting($id: ID!) { transaction(id: $id) { status } }","variables":{"id":%q}}`, box.Samples().OpenTransaction))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream, application/json")
	return client.Do(req)
}

// dialSocket opens a WebSocket.
func (r *running) dialSocket(dialer ws.Dialer) net.Conn {
	r.T.Helper()
	dialer.Protocols = []string{"graphql-transport-ws"}
	conn, _, _, err := dialer.Dial(r.T.Context(), strings.Replace(r.URL, "http", "ws", 1)+"/graphql")
	if err != nil {
		r.T.Fatal(err)
	}
	return conn
}

// wantMessage sends a message over a WebSocket and reads one, which must contain the text.
func (r *running) wantMessage(conn net.Conn, message, text string) {
	r.T.Helper()
	if err := wsutil.WriteClientText(conn, []byte(message)); err != nil {
		r.T.Fatal(err)
	}
	if got, err := wsutil.ReadServerText(conn); err != nil || !strings.Contains(string(got), text) {
		r.T.Fatalf("%s got %s, %v", message, got, err)
	}
}

// subscribeMany begins streams. The result receives what each of them got, when it has ended.
func (r *running) subscribeMany(t *testing.T, client *http.Client, box *sandbox.Sandbox, streams int) <-chan answer {
	t.Helper()
	ended := make(chan answer, streams)
	token := box.Token()
	for range streams {
		resp, err := r.subscribe(client, box, token)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
		go func() {
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			ended <- answer{string(body), err}
		}()
	}
	return ended
}

// streams is the number of streams in the tests of draining.
const streams = 300

// wantDrained receives the ends of streams. None of them says that it is complete, so their clients subscribe again.
func wantDrained(t *testing.T, ended <-chan answer) {
	t.Helper()
	for range streams {
		if got := <-ended; strings.Contains(got.body, "event: complete") {
			t.Fatalf("a drained stream has %q", got.body)
		}
	}
}

// TestStreamsDrain: a gateway that is stopped ends its streams during shutdown_delay, while it still serves queries. It
// rejects new ones. Each end is logged.
func TestStreamsDrain(t *testing.T) {
	over := make(chan time.Time)
	box := gatewaytest.NewSandbox(t)
	r := launchWith(t, over, gatewaytest.Flags(box, "--shutdown-delay=200ms")...)
	client := &http.Client{Transport: &http.Transport{}}
	ended := r.subscribeMany(t, client, box, streams)
	r.stop()
	wantDrained(t, ended)
	resp, err := r.post(box.Token(), "{ deposits { totalCount } }")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("a query has %v, %v", resp, err)
	}
	_ = resp.Body.Close()
	if resp, err = r.subscribe(client, box, box.Token()); err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), `"OVERLOADED"`) {
		t.Errorf("a new stream has %d %s", resp.StatusCode, body)
	}
	close(over)
	if err := r.wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	if n := strings.Count(r.stderr.String(), `"msg":"stream"`); n < 100 || n > streams { // a caller has 100 lines in a second
		t.Errorf("%d ends of streams are logged", n)
	}
	if !strings.Contains(r.stderr.String(), `"name":"Waiting","protocol":"sse","reason":"drain"`) {
		t.Error("the log lacks the reason of the ends")
	}
}
