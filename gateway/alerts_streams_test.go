package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"pixgraph/upstream/sandbox"
)

// streamFaults sends streams of each kind that fails because of its client. The caller may have two.
func streamFaults(t *testing.T, r *running, box *sandbox.Sandbox) {
	t.Helper()
	const unknown = "11111111-1111-4111-8111-111111111111"
	accept := func(accepted string) http.Header { return http.Header{"Accept": {accepted}} }
	for _, document := range []string{
		"subscription {", "subscription { nothing }", "subscription { deposits(page: 0) { totalCount } }", `subscription { transaction(id: "x") { id } }`,
		"subscription List { a: deposits { totalCount } b: deposits { totalCount } }", fmt.Sprintf("subscription { transaction(id: %q) { id } }", unknown),
	} {
		r.QueryWith(accept("text/event-stream"), document)
		r.QueryWith(accept(`multipart/mixed;subscriptionSpec="1.0"`), document)
		r.QueryWith(accept("application/json"), document)
	}
	r.QueryWith(http.Header{"Accept": {"text/event-stream"}, "Authorization": {"Bearer x"}}, "subscription { deposits { totalCount } }")
	r.QueryAs(r.Token, fmt.Sprintf(`{ awaitTransaction(id: %q, until: [], timeoutSeconds: 1) { id } }`, unknown))

	var open []*http.Response
	for range 3 { // the last one is refused
		resp, err := r.subscribe(http.DefaultClient, box, r.Token)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		open = append(open, resp)
	}
	for _, resp := range open {
		_ = resp.Body.Close()
	}
	for _, message := range []string{
		"", "{", `{"type":"connection_init","payload":{"Authorization":"Bearer x"}}`, `{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`, `{"type":"x"}`,
	} {
		r.misuseSocket(t, message)
	}
	waitFor(t, func() bool {
		text := string(r.admin.Get("/metrics").Body)
		return strings.Contains(text, `pixgraph_live_streams{protocol="sse"} 0`)
	})
}

// misuseSocket opens a WebSocket, sends one message and reads until the end.
func (r *running) misuseSocket(t *testing.T, message string) {
	t.Helper()
	conn := r.dialSocket(ws.Dialer{})
	defer conn.Close()
	if message == "" { // a client that leaves at once
		return
	}
	if err := wsutil.WriteClientText(conn, []byte(message)); err != nil {
		t.Fatal(err)
	}
	if text, err := wsutil.ReadServerText(conn); err == nil {
		t.Errorf("%s is answered with %s", message, text)
	}
}
