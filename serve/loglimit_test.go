package serve_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pixgraph/auth"
)

// proxied makes the gateway trust X-Forwarded-For.
func proxied(o *options) {
	o.Serve.Limits.Rate.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
}

// TestRefusedLinesAreBounded: requests without a valid token cause few lines for each address, and the lines of other
// addresses are not omitted. The next line has the number of those omitted.
func TestRefusedLinesAreBounded(t *testing.T) {
	runWith(t, proxied, func(t *testing.T, g *gateway) {
		send := func(address, token string, times int) {
			for range times {
				g.QueryWith(http.Header{"Authorization": {"Bearer " + token}, "X-Forwarded-For": {address}}, "{ __typename }")
			}
		}
		const line, perSecond = `"msg":"request without a valid token"`, 5
		send("192.0.2.1", "invalid", 100)
		if n := strings.Count(g.Log.String(), line); n != perSecond {
			t.Errorf("%d lines of one address", n)
		}
		send("192.0.2.2", "another", 1)
		if n := strings.Count(g.Log.String(), line); n != perSecond+1 {
			t.Errorf("%d lines after a request of another address", n)
		}
		for n := range 300 {
			send(fmt.Sprint("198.51.100.", n%256), "invalid", 1)
		}
		if n := strings.Count(g.Log.String(), line); n > 21*perSecond {
			t.Errorf("%d lines of many addresses", n)
		}
		time.Sleep(time.Second)
		send("192.0.2.1", "invalid", 1)
		if !strings.Contains(g.Log.String(), fmt.Sprintf(`"omitted":%d`, 100-perSecond)) {
			t.Errorf("the omitted lines are not counted: %s", g.Log)
		}
	})
}

// TestFailedLinesAreBounded: operations with errors of one caller cause few lines, and those of others are not omitted.
func TestFailedLinesAreBounded(t *testing.T) {
	// In this mode each token is a caller.
	runWith(t, func(o *options) { o.Auth.Mode = auth.ModeForward }, func(t *testing.T, g *gateway) {
		other := g.Box.Token("of_the_other")
		for _, token := range []string{g.Token, other} {
			g.QueryAs(token, "{ deposits { totalCount } }").WantOK()
		}
		const perSecond = 20
		for range 100 {
			g.Query(`query Flood { notification(id: "none") { id } }`, nil)
		}
		g.QueryAs(other, `query Other { notification(id: "none") { id } }`)
		if n := strings.Count(g.Log.String(), `"name":"Flood"`); n != perSecond {
			t.Errorf("%d lines of one caller", n)
		}
		if n := strings.Count(g.Log.String(), `"name":"Other"`); n != 1 {
			t.Errorf("%d lines of another caller", n)
		}
		time.Sleep(time.Second)
		g.Query(`query Flood { notification(id: "none") { id } }`, nil)
		if !strings.Contains(g.Log.String(), fmt.Sprintf(`"omitted":%d`, 100-perSecond)) {
			t.Errorf("the omitted lines are not counted: %s", g.Log)
		}
	})
}
