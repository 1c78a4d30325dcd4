package hostile

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"pixgraph/sandbox/issuer"
)

// slowAttack is an attack that takes a long time: begin prepares it and returns its end, which runs after all other
// attacks, so that the test does not wait.
type slowAttack struct {
	name  string
	begin func(*testing.T, *gateway) (end func(*testing.T))
}

func slowAttacks() []slowAttack {
	return []slowAttack{
		{"slow clients", slowClients},
		{"the key set is invalid", invalidKeys},
		{"the issuer hangs", hangingIssuer},
	}
}

// wantCleanEnd stops a gateway, which must exit with 0 and without errors in its log.
func (g *gateway) wantCleanEnd(t *testing.T) {
	t.Helper()
	g.wantStopped(t)
	g.wantCleanLog(t)
}

// slowClients start a request and never complete it. The server's timeouts close their connections, with or without a
// response.
func slowClients(t *testing.T, g *gateway) func(*testing.T) {
	type client struct {
		sent   string
		status int
		conn   net.Conn
	}
	var clients []client
	for _, c := range []client{
		{sent: "", status: 0},
		{sent: "POST /gra", status: 400},
		{sent: "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bear", status: 0},
		{sent: start + "Content-Length: 39\r\n\r\n", status: 408},
		{sent: start + "Content-Length: 39\r\n\r\n" + good[:20], status: 408},
		{sent: start + "Transfer-Encoding: chunked\r\n\r\n27\r\n" + good[:20], status: 408},
		{sent: start + "Transfer-Encoding: chunked\r\n\r\n27\r\n" + good + "\r\n", status: 408},
	} {
		for range 10 {
			conn := dial(t, g)
			send(conn, g.placeholders.Replace(c.sent))
			c.conn = conn
			clients = append(clients, c)
		}
	}
	return func(t *testing.T) {
		for _, c := range clients {
			must(t, c.conn.SetDeadline(time.Now().Add(timeout)))
			from := bufio.NewReader(c.conn)
			got := receive(t, from)
			if got.status != c.status {
				t.Errorf("after %q the response is %d %s", c.sent[:min(len(c.sent), 30)], got.status, got.body)
			}
			if _, err := from.ReadByte(); err == nil {
				t.Errorf("after %q there is more than one response", c.sent[:min(len(c.sent), 30)])
			}
		}
		g.wantResponse(t)
	}
}

// wantEventually fails the test if the request does not get the status before a timeout.
func (g *gateway) wantEventually(t *testing.T, send request, status int) {
	t.Helper()
	await(t, fmt.Sprintf("no response has the status %d", status), func() bool { return send(t, g).status == status })
}

// invalidKeys makes the issuer publish an invalid key set. The former keys stay in use, and no token with another key
// is accepted.
func invalidKeys(t *testing.T, shared *gateway) func(*testing.T) {
	g := newGateway(t, shared.binary)
	g.wantResponse(t)
	kid := g.box.Issuer().KeySet().Keys[0].KeyID
	const secret = "c2VjcmV0" // "secret"
	g.box.Issuer().Override(issuer.PathJWKS, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Canary", canary)
		_, _ = w.Write([]byte(`{"keys":[{"kty":"oct","kid":"` + kid + `","alg":"HS256","k":"` + secret + `"},
			{"kty":"oct","kid":"new","k":"` + secret + `"},{"kty":"RSA","kid":"weak","n":"AQAB","e":"AQAB"},{"kty":"EC","kid":"off","crv":"P-256","x":"AA","y":"AA"},
			{"kty":"` + canary + `"},null,7]}`))
	}))
	fetched := g.box.Issuer().JWKSFetches()
	return func(t *testing.T) {
		// An unknown key triggers a fetch after the cooldown; its response is not a valid key set.
		g.wantEventually(t, signed(object{"kid": "new"}, nil), http.StatusServiceUnavailable)
		if g.box.Issuer().JWKSFetches() == fetched {
			t.Error("the issuer got no request")
		}
		g.wantRow(t, row{send: symmetric("secret"), status: 401, code: refused})
		g.wantRow(t, row{send: signed(object{"kid": "weak", "alg": "RS256"}, nil), status: 503, code: "UPSTREAM_UNAVAILABLE", has: []string{"Retry-After"}})
		g.wantRow(t, row{send: signed(nil, nil), status: 200})
		g.wantResponse(t)
		g.wantCleanEnd(t)
	}
}
