package hostile

import (
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// gateway is a process over its own sandbox, with a token for full access.
type gateway struct {
	*launched
	box          *sandbox.Sandbox
	client       *http.Client
	token        string
	placeholders *strings.Replacer // replaces placeholders in requests, see startGateway
}

// newGateway starts a sandbox and a gateway with the race detector over it.
func newGateway(t *testing.T, binary string, flags ...string) *gateway {
	t.Helper()
	return startGateway(t, gatewaytest.NewSandbox(t), binary, raceEnviron(), flags...)
}

// newRelease starts a sandbox and a released gateway over it.
func newRelease(t *testing.T, binary string, flags ...string) *gateway {
	t.Helper()
	return startGateway(t, gatewaytest.NewSandbox(t), binary, releaseEnviron(), flags...)
}

// startGateway starts a gateway over a sandbox. In requests, <token> is replaced by a valid token, <host> by the
// gateway's address, and <transaction>, <withdrawal> and <notification> by ids of records.
func startGateway(t *testing.T, box *sandbox.Sandbox, binary string, environ []string, flags ...string) *gateway {
	t.Helper()
	p := launch(t, binary, environ, gatewaytest.Flags(box, append([]string{"--shutdown-delay=0s"}, flags...)...)...)
	g := &gateway{launched: p, box: box, token: box.Token()}
	// A request with Expect: 100-continue waits for the response, however busy the machine is.
	transport := &http.Transport{DisableCompression: true, ExpectContinueTimeout: timeout}
	t.Cleanup(transport.CloseIdleConnections)
	g.client = &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	g.placeholders = strings.NewReplacer(
		"<token>", g.token, "<host>", g.Address,
		"<transaction>", box.Ledger().Transactions()[0].ID,
		"<withdrawal>", box.Ledger().Withdrawals()[0].ID,
		"<notification>", box.Ledger().Notifications()[0].ID,
	)
	return g
}

// calls is the number of calls to the sandbox so far.
func (g *gateway) calls() int {
	counters := g.box.Counters()
	return counters.Core + counters.Dispatcher
}

// wantResponse fails the test if a normal query does not succeed.
func (g *gateway) wantResponse(t *testing.T) {
	t.Helper()
	g.wantRow(t, row{name: "a normal query", send: post(good), status: 200, has: []string{`{"data":{"deposits":{"totalCount":50}}}`}})
}

// secrets are texts that no response may contain.
func (g *gateway) secrets() []string {
	list := []string{canary, g.token, strings.Split(g.token, ".")[1], strings.Split(g.token, ".")[2]}
	for _, url := range []string{g.box.CoreURL(), g.box.DispatcherURL(), g.box.IssuerURL()} {
		list = append(list, strings.Split(url, "/")[2])
	}
	return list
}

// wantCleanLog fails the test if the log of the process contains an error or a secret.
func (g *gateway) wantCleanLog(t *testing.T) {
	t.Helper()
	log := g.log.String()
	person := g.box.Ledger().Transactions()[0]
	for _, secret := range []string{
		"panic", "DATA RACE", "goroutine ", canary, echo, g.token, strings.Split(g.token, ".")[1], person.Text("pixKey.key"), person.Text("endToEnd"),
	} {
		if secret != "" && strings.Contains(log, secret) {
			t.Errorf("the log contains %q: %s", secret, around(log, secret))
		}
	}
}

// around is the text near a word.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(at-200, 0):min(at+200+len(word), len(text))]
}
