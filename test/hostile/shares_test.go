package hostile

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/internal/certs/certstest"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// owing has a caller whose operation costs twelve times the burst of its rate: what exceeds the burst is owed.
func owing(t *testing.T, shared *gateway) {
	g := newGateway(t, shared.binary, "--rate-identity=1", "--rate-identity-burst=20")
	ids := strings.Repeat(`,"<transaction>"`, 25)
	large := operation("query ($ids: [ID!]!) {"+times(10, "a%d: transactions(ids: $ids) { __typename } ")+"}", `{"ids":[`+ids[1:]+"]}")
	g.wantRow(t, row{send: large, status: 200})
	g.wantRow(t, row{send: large, status: 429, code: "RATE_LIMITED"})
	wait := post(good)(t, g).header.Get("Retry-After")
	if seconds, _ := strconv.Atoi(wait); seconds < 200 {
		t.Errorf("Retry-After: %s", wait)
	}
	g.wantRow(t, row{send: post(good, "Authorization: Bearer "+g.caller("bystander")), status: 200})
	g.wantCleanEnd(t)
}

// filling has a caller who registers as many documents as there is room for, and more: those of others stay.
func filling(t *testing.T, g *gateway) {
	const document = "{ deposits { currentPage } }"
	as := "Authorization: Bearer " + g.caller("bystander")
	g.wantRow(t, row{send: named(document, hashOf(document), as), status: 200})
	for i := range 300 {
		other := fmt.Sprintf("{ deposits { totalCount } } #%d%s", i, strings.Repeat(" ", 32_000))
		g.wantRow(t, row{send: named(other, hashOf(other)), status: 200})
	}
	g.wantRow(t, row{send: named("", hashOf(document), as), status: 200})
}

// removed has a WebSocket of a client whose CA is removed: it begins no operation after that.
func removed(t *testing.T, shared *gateway) {
	ca, next, dir := certstest.New(t, "ca"), certstest.New(t, "next"), t.TempDir()
	cert, key := ca.Issue(t, 24*time.Hour).Write(t, dir)
	box := gatewaytest.NewSandbox(t)
	l := launch(t, shared.binary, raceEnviron(), gatewaytest.Flags(box, "--shutdown-delay=0s", "--tls-cert="+cert, "--tls-key="+key,
		"--tls-client-ca="+certstest.Write(t, dir, "ca.crt", ca.PEM))...)
	client := ws.Dialer{TLSConfig: &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{ca.Issue(t, 24*time.Hour).TLS(t)}}}
	conn := openWebSocket(t, client, "wss://"+l.Address, box.Token(), `{"query":"subscription { deposits { totalCount } }"}`)
	certstest.Write(t, dir, "ca.crt", next.PEM)
	await(t, "the CA file is not read", func() bool { return strings.Contains(l.log.String(), "certificates reloaded") })
	const again = `{"type":"subscribe","id":"2","payload":{"query":"{ withdrawals { totalCount } }"}}`
	must(t, ws.WriteFrame(conn, ws.MaskFrame(ws.NewTextFrame([]byte(again)))))
	code := closeOf(conn)
	isAgain := func(c sandbox.Call) bool { return strings.HasSuffix(c.Path, "/withdrawal") } // others are of the stream
	if code != "1012" || slices.ContainsFunc(box.Calls(), isAgain) {
		t.Errorf("closed with %s after %v", code, box.Counters())
	}
	l.wantStopped(t)
}
