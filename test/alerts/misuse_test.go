package alerts

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"pixgraph/sandbox"
	"pixgraph/serve/run"
	"pixgraph/test/replica"
	"pixgraph/upstream/live"
)

// clientFaults sends a request of each kind that fails because of its client.
func clientFaults(t *testing.T, r *replica.Replica, box *sandbox.Sandbox) {
	t.Helper()
	const unknown = "11111111-1111-4111-8111-111111111111"
	for _, token := range []string{"", "x", r.Token + "x", box.Token("none")} {
		r.QueryAs(token, "{ notification(id: \"none\") { id } }")
	}
	for _, document := range []string{
		"{", "{ nothing }", "query List { nothing }", fmt.Sprintf("query List { transaction(id: %q) { id } }", unknown),
		"query List { deposits(perPage: 0) { totalCount } }", "query Wide { " + strings.Repeat("a: __typename ", 320) + "}",
		"query Costly { " + strings.Repeat("a: transactions(ids: []) { notifications { nodes { id } } } ", 3) + "}",
	} {
		r.Query(document)
	}
	for _, body := range []string{"", "[]", "{", `{"query":5}`, strings.Repeat(" ", run.DefaultMaxBody+1)} {
		r.Post(nil, []byte(body))
	}
	defer box.Inject(sandbox.Fault{Kind: sandbox.FaultHang})()
	r.QueryWith(http.Header{"X-Pixgraph-Timeout": {"20"}}, "query List { deposits { totalCount } }")
	ctx, leave := context.WithCancel(t.Context())
	req := r.Request(http.MethodPost, "/graphql", `{"query":"{ withdrawals { totalCount } }"}`).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer "+r.Token)
	go func() {
		synctest.Wait() // the call is under way
		leave()
	}()
	if resp, err := r.HTTP.Do(req); err == nil {
		t.Errorf("a request that was cancelled got %s", resp.Status)
	}
	synctest.Wait() // until the gateway has noticed
}

// streamFaults sends streams of each kind that fails because of its client.
func streamFaults(t *testing.T, r *replica.Replica, box *sandbox.Sandbox) {
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
	for range live.DefaultStreamsPerCaller + 1 { // the last one is refused
		resp := r.OpenAs(r.Token, "text/event-stream", fmt.Sprintf("subscription { transaction(id: %q) { status } }", box.Samples().OpenTransaction))
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
		misuseSocket(t, r, message)
	}
	if text := scrape(r); !strings.Contains(text, `pixgraph_live_streams{protocol="sse"} 0`) {
		t.Errorf("streams are open: %s", text)
	}
}

// misuseSocket opens a WebSocket, sends one message and reads until the end.
func misuseSocket(t *testing.T, r *replica.Replica, message string) {
	t.Helper()
	conn := r.Socket(ws.Dialer{})
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
