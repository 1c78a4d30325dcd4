package hostile

import (
	"fmt"
	"net/http"
	"testing"

	"pixgraph/upstream/sandbox/issuer"
)

// hangingIssuer has more clients than there are places send tokens of made-up keys, while the issuer does not answer: the
// clients wait for its keys, and take no place meanwhile. A caller whose key is known is answered, with a token that was
// seen before and with one that was not.
func hangingIssuer(t *testing.T, binary string, _ *gateway) func(*testing.T) {
	const places, clients = 40, 100
	g := newGateway(t, binary, "--limits-operations=40")
	g.alive(t)
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
		forged[i] = g.box.Issuer().Sign(object{"kid": fmt.Sprint("made-up ", i)}, claims(g, object{"sub": fmt.Sprint("nobody ", i)}))
	}
	return func(t *testing.T) {
		// The issuer was asked when the gateway started, so that it is not asked again at once.
		var first []*crowd
		await(t, "the issuer is not asked", func() bool {
			first = append(first, g.gather(1, forged, good, "", nil))
			return g.box.Issuer().JWKSFetches() > fetched
		})
		c := g.gather(clients, forged, good, "", nil)
		await(t, "the clients are not there", func() bool {
			select {
			case <-c.begun: // the gateway gave the issuer up before they all came
				return true
			default:
				return g.metric(t, "pixgraph_http_requests_in_flight") >= places
			}
		})
		g.alive(t)
		for i := range 20 {
			g.check(t, row{send: post(good, "Authorization: Bearer "+g.caller(fmt.Sprint("newcomer ", i))), status: http.StatusOK})
		}
		close(answering)
		for _, c := range append(first, c) {
			c.wantStatuses(t, http.StatusUnauthorized, http.StatusServiceUnavailable)
		}
		g.alive(t)
		g.finish(t)
	}
}
