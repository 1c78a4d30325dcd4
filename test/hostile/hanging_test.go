package hostile

import (
	"fmt"
	"net/http"
	"testing"

	"pixgraph/sandbox/issuer"
)

// hangingIssuer has more clients than slots for operations send tokens with made-up keys, while the issuer hangs: the
// clients wait for its keys, and do not occupy slots. Requests with a token whose key is known succeed, whether the
// token was seen before or not.
func hangingIssuer(t *testing.T, shared *gateway) func(*testing.T) {
	const places, clients = 40, 100
	g := newGateway(t, shared.binary, "--upstream-concurrency=10")
	g.wantResponse(t)
	answering := make(chan struct{})
	g.box.Issuer().Override(issuer.PathJWKS, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-answering:
		case <-r.Context().Done():
		}
		http.Error(w, "", http.StatusServiceUnavailable)
	}))
	fetched := g.box.Issuer().JWKSFetches()
	forged := make([]string, clients)
	for i := range forged {
		forged[i] = g.box.Issuer().Sign(object{"kid": fmt.Sprint("made-up ", i)}, claims(g, object{"sub": fmt.Sprint("stranger ", i)}))
	}
	return func(t *testing.T) {
		// The issuer's keys were fetched when the gateway started, so the next fetch comes after the cooldown.
		var first []*clientGroup
		await(t, "the issuer gets no request", func() bool {
			first = append(first, g.startClients(1, forged, good, "", nil))
			return g.box.Issuer().JWKSFetches() > fetched
		})
		c := g.startClients(clients, forged, good, "", nil)
		await(t, "the clients have not arrived", func() bool {
			select {
			case <-c.begun: // the fetch timed out before all clients arrived
				return true
			default:
				return g.metric(t, "pixgraph_http_requests_in_flight") >= places
			}
		})
		g.wantResponse(t)
		for i := range 20 {
			g.wantRow(t, row{send: post(good, "Authorization: Bearer "+g.caller(fmt.Sprint("newcomer ", i))), status: http.StatusOK})
		}
		close(answering)
		for _, c := range append(first, c) {
			c.wantStatuses(t, http.StatusUnauthorized, http.StatusServiceUnavailable)
		}
		g.wantResponse(t)
		g.wantCleanEnd(t)
	}
}
