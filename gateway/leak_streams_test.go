package gateway_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// The streams of TestLeaks: subscriptions over each protocol, waits and webhooks, that succeed, fail, end and are
// refused.

// leakNudge is the secret of webhooks, which nothing may show.
const leakNudge = "webhooks-of-the-dispatcher"

const (
	leakStream = `subscription Payment($id: ID!, $until: [TransactionStatus!]) { transaction(id: $id, until: $until) {
		id customer { name ip email { value raw } document { value } } address { street zipCode } metadata payer ` + leakParty + ` } }`
	leakListStream   = `subscription List { deposits(perPage: 20) { nodes { id endToEnd payer ` + leakParty + ` pixResponse { uri } } } }`
	leakNoticeStream = `subscription Notice($id: ID!) { notification(id: $id) { id url hash body executions { url headers response { body } }
		transaction { id customer { name } } } }`
	leakAwait = `query Await($id: ID!) { awaitTransaction(id: $id, until: [PAID], timeoutSeconds: 1) { id status customer { name email { value } } } }`
)

// leakProtocols are the values of Accept for streams over HTTP. A WebSocket has none.
var leakProtocols = []string{"text/event-stream", `multipart/mixed;subscriptionSpec="1.0"`, ""}

// watch begins a subscription, reads its first event or rejection, and searches everything that it received except
// data.
func (l *leakSearch) watch(accept, token, document string, variables map[string]any) {
	l.t.Helper()
	l.open(accept, token, document, variables)(1)
}

// open begins a subscription. The result reads a number of events or rejections, or until the end, and closes it.
func (l *leakSearch) open(accept, token, document string, variables map[string]any) (read func(events int)) {
	l.t.Helper()
	request, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		l.t.Fatal(err)
	}
	if accept == "" {
		connect := `{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`
		return l.socket(connect, `{"type":"subscribe","id":"1","payload":`+string(request)+`}`)
	}
	req := l.newRequest(http.MethodPost, "/graphql", token, string(request))
	req.Close = true
	req.Header.Set("Accept", accept)
	resp, err := l.HTTP.Transport.RoundTrip(req)
	if err != nil {
		l.t.Fatal(err)
	}
	l.seen.answers++
	l.wantNoSecrets("the header of a stream", fmt.Sprint(resp.Header))
	return func(events int) {
		l.t.Helper()
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 4<<20)
		for events > 0 && lines.Scan() {
			if l.received(bytes.TrimPrefix(lines.Bytes(), []byte("data: "))) {
				events--
			}
		}
		if lines.Err() != nil {
			l.t.Fatal(lines.Err())
		}
	}
}

// socket opens a WebSocket and sends messages. The result reads until so many messages have a response, or until the
// end.
func (l *leakSearch) socket(messages ...string) (read func(responses int)) {
	l.t.Helper()
	conn := l.Socket(ws.Dialer{})
	l.seen.answers++
	for _, message := range messages {
		if wsutil.WriteClientText(conn, []byte(message)) != nil {
			break // the gateway has closed the connection
		}
	}
	return func(responses int) {
		l.t.Helper()
		defer conn.Close()
		for responses > 0 {
			text, err := wsutil.ReadServerText(conn)
			if err != nil {
				l.wantNoSecrets("the reason of a close", err.Error())
				return
			}
			if l.received(text) {
				responses--
			}
		}
	}
}

// received searches what a client received. It reports whether that was a response.
func (l *leakSearch) received(text []byte) bool {
	l.t.Helper()
	var message map[string]json.RawMessage
	rest, response := text, false
	if json.Unmarshal(text, &message) == nil {
		inner := map[string]json.RawMessage{}
		if payload := message["payload"]; json.Unmarshal(payload, &inner) != nil || payload == nil {
			inner = message
		}
		for _, member := range l.secrets.in(string(inner["data"])) {
			l.seen.data[member] = true
		}
		response = inner["data"] != nil || inner["errors"] != nil || string(message["type"]) == `"error"`
		if inner["errors"] != nil {
			l.seen.errors++
		}
		delete(inner, "data")
		parts := []any{inner}
		if message["payload"] != nil && message["type"] != nil {
			parts = append(parts, message["type"], message["id"])
		}
		if string(message["type"]) == `"error"` {
			parts = append(parts, message["payload"])
		}
		var err error
		if rest, err = json.Marshal(parts); err != nil {
			l.t.Fatal(err)
		}
	}
	l.wantNoSecrets("a stream", string(rest)+" "+decoded(rest))
	return response
}

// watchAll reads all data of some records by subscriptions over each protocol, and by a wait.
func (l *leakSearch) watchAll(token string) {
	l.t.Helper()
	samples := l.box.Samples()
	for _, accept := range leakProtocols {
		l.watch(accept, token, leakStream, map[string]any{"id": samples.Transaction})
		l.watch(accept, token, leakStream, map[string]any{"id": samples.Transaction, "until": []string{"PAID"}})
		l.watch(accept, token, leakListStream, nil)
		l.watch(accept, token, leakNoticeStream, map[string]any{"id": l.box.Ledger().Notifications()[0].ID})
		l.watch(accept, token, leakStream, map[string]any{"id": samples.UnknownTransaction})
	}
	l.post(token, leakAwait, map[string]any{"id": samples.Transaction})
}

// sendStreams begins streams with all tokens, ends them in each way, and sends refused ones with secrets in them.
func (l *leakSearch) sendStreams(sample secrets) {
	l.t.Helper()
	token := l.tokens[0]
	for _, each := range l.tokens {
		l.watchAll(each)
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests} {
		undo := l.box.Inject(sandbox.Fault{Status: status, Body: l.box.Ledger().Transactions()[0].JSON()})
		l.watchAll(token)
		undo()
	}
	short := l.box.Issuer().Mint(issuer.Grant{Subject: "carvalho-raimundo", TTL: 2 * time.Second})
	l.secrets.secrets.addToken(short)
	l.secrets = newFinder(l.secrets.secrets)
	var streams []func(int)
	for _, accept := range leakProtocols {
		streams = append(streams, l.open(accept, short, leakStream, map[string]any{"id": l.box.Samples().Transaction}))
	}
	for _, read := range streams {
		read(2) // the second one is the end, because the token has expired
	}
	for secret := range sample {
		l.sendRefusedStreams(token, secret)
	}
}

// sendRefusedStreams sends subscriptions, messages and webhooks with a secret in each place that an error could repeat.
func (l *leakSearch) sendRefusedStreams(token, secret string) {
	l.t.Helper()
	quoted, err := json.Marshal(secret)
	if err != nil {
		l.t.Fatal(err)
	}
	text := string(quoted)
	id := `"` + l.box.Samples().Transaction + `"`
	for _, document := range []string{
		`subscription { transaction(id: ` + text + `) { id } }`, `subscription { transaction(id: ` + id + `, until: ` + text + `) { id } }`,
		`subscription { transaction(id: ` + id + `, since: ` + text + `) { id } }`, `subscription { notification(id: ` + text + `) { id } }`,
		`subscription { withdrawals(filter: {pixKey: ` + text + `, startDate: ` + text + `}) { totalCount } }`,
		`subscription { deposits(page: ` + text + `) { totalCount } }`, `subscription { ` + text + ` }`,
		`{ awaitTransaction(id: ` + text + `, until: [PAID], since: ` + text + `) { id } }`,
	} {
		for _, accept := range leakProtocols {
			l.watch(accept, token, document, nil)
		}
	}
	connect := `{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`
	for _, messages := range [][]string{
		{`{"type":` + text + `}`}, {text}, {`{"type":"connection_init","payload":` + text + `}`},
		{`{"type":"connection_init","payload":{"Authorization":` + text + `,` + text + `:` + text + `}}`}, {connect, connect},
		{connect, `{"type":"subscribe","id":"1","payload":` + text + `}`}, {connect, `{"type":"subscribe","id":"1","payload":{"query":` + text + `}}`},
		{connect, `{"type":"ping","payload":{"x":` + text + `}}`, `{"type":` + text + `}`},
		{connect, `{"type":"subscribe","id":"1","payload":{"query":"{ __typename }","operationName":` + text + `}}`},
	} {
		l.socket(messages...)(1)
	}
	for _, path := range []string{leakNudge, leakNudge + "x", secret} {
		l.ask(l.newRequest(http.MethodPost, "/nudge/"+plainPath(path), token, `{"id":`+text+`,"data":{"transactionId":`+id+`,"owner":`+text+`}}`))
	}
}

// plainPath is a secret as a segment of a path.
func plainPath(secret string) string {
	return strings.NewReplacer("/", "%2F", " ", "%20", "%", "%25", "?", "%3F").Replace(secret)
}
