package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestClientsThatLeave: clients close their connections before, during and after the response, with and without gzip.
// Other callers get only their own data at that time, and all memory is released. With the race detector, a released
// buffer that is still sent would show.
func TestClientsThatLeave(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const callers, rounds = 4, 4
		transaction := g.transactionIDs(1)[0]
		document := fmt.Sprintf(`{ a: deposits(perPage: 100) { nodes { id acquirer pixResponse { qrCodeBase64 } } }
			b: transaction(id: %[1]q) { acquirer } c: transaction(id: %[1]q) { acquirer notifications { __typename } } }`, transaction)
		body, err := json.Marshal(map[string]string{"query": document})
		must(t, err)
		var running sync.WaitGroup
		for caller := range callers {
			me := fmt.Sprintf("caller-%d", caller)
			token := g.Box.Issuer().Mint(issuer.Grant{Subject: me, Scopes: []string{"get_dispatcher"}})
			for _, route := range []string{sandbox.RouteDeposit, sandbox.RouteTransaction} {
				g.Box.Inject(sandbox.Fault{Token: token, Route: route, Mutate: func(body []byte) []byte { return ownedBy(me, body) }})
			}
			for round := range rounds {
				for _, header := range []string{"", "Accept-Encoding: gzip\r\n"} {
					for _, read := range []int{0, 1, 4096, 100_000} {
						running.Go(func() { g.leave(token, header, body, read*(round+1)) })
					}
				}
				running.Go(func() {
					a := g.QueryAs(token, document)
					marks, own := bytes.Count(a.Body, []byte(`"caller-`)), bytes.Count(a.Body, []byte(`"`+me+`"`))
					if marks != 102 || own != marks || len(a.Errors) > 0 {
						t.Errorf("%s got %d records: %.300s", me, marks, a.Body)
					}
				})
			}
		}
		running.Wait()
		g.awaitNoMemory()
	})
}

// ownedBy replaces the acquirer of every record by the name of a caller.
func ownedBy(caller string, body []byte) []byte {
	parts := strings.Split(string(body), `"acquirer":"`)
	for i := range parts[1:] {
		_, rest, _ := strings.Cut(parts[i+1], `"`)
		parts[i+1] = caller + `"` + rest
	}
	return []byte(strings.Join(parts, `"acquirer":"`))
}

// leave sends a request, reads at most some bytes of the response, and resets the connection.
func (g *gateway) leave(token, header string, body []byte, read int) {
	conn, err := g.Network.DialContext(g.T.Context(), "tcp", strings.TrimPrefix(g.URL, "http://"))
	if err != nil {
		g.T.Error(err)
		return
	}
	defer conn.Close()
	const request = "POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n" +
		"Authorization: Bearer %s\r\n%sContent-Length: %d\r\n\r\n%s"
	_, err = fmt.Fprintf(conn, request, token, header, len(body), body)
	if err != nil {
		g.T.Error(err)
	}
	_, _ = io.CopyN(io.Discard, conn, int64(read))
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0)
	}
}
