package hostile

import (
	"net/http"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
)

// gateway is a process over its own sandbox, with a token for full access.
type gateway struct {
	*process
	box          *sandbox.Sandbox
	client       *http.Client
	token        string
	placeholders *strings.Replacer // replaces placeholders in requests, see gatewayOf
}

// newGateway starts a sandbox and a gateway over it that verifies tokens.
func newGateway(t *testing.T, binary string, flags ...string) *gateway {
	t.Helper()
	box := newSandbox(t)
	return startGateway(t, binary, box, append(authFlags(box), flags...)...)
}

// authFlags are the flags of a gateway that verifies the tokens of a sandbox, with paging and links.
func authFlags(box *sandbox.Sandbox) []string {
	return []string{
		"--auth-issuer=" + box.IssuerURL(), "--auth-audience=" + box.Audience(),
		"--paging-page-param=page", "--paging-per-page-param=perPage", "--links-metadata-pointer=/notificationIds",
	}
}

func newSandbox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.Start(sandbox.Config{Records: 50, MoveEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	return box
}

// startGateway starts a gateway with the race detector over a sandbox.
func startGateway(t *testing.T, binary string, box *sandbox.Sandbox, flags ...string) *gateway {
	t.Helper()
	return gatewayOf(t, box, launch(t, binary, raceEnviron(), append(upstreamFlags(box), flags...)...))
}

// upstreamFlags are the flags of a gateway over a sandbox.
func upstreamFlags(box *sandbox.Sandbox) []string {
	return []string{"--core-url=" + box.CoreURL(), "--dispatcher-url=" + box.DispatcherURL(), "--shutdown-delay=0s"}
}

// gatewayOf is the gateway of a process over a sandbox. In requests, <token> is replaced by a valid token, <host> by the
// gateway's address, and <transaction>, <withdrawal> and <notification> by ids of records.
func gatewayOf(t *testing.T, box *sandbox.Sandbox, p *process) *gateway {
	t.Helper()
	g := &gateway{process: p, box: box, token: box.Token()}
	// A request with Expect: 100-continue waits for the response, however busy the machine is.
	transport := &http.Transport{DisableCompression: true, ExpectContinueTimeout: timeout}
	t.Cleanup(transport.CloseIdleConnections)
	g.client = &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	g.placeholders = strings.NewReplacer(
		"<token>", g.token, "<host>", g.address,
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

// alive fails the test if a normal query does not succeed.
func (g *gateway) alive(t *testing.T) {
	t.Helper()
	g.check(t, row{name: "alive", send: post(good), status: 200, has: []string{`{"data":{"deposits":{"totalCount":50}}}`}})
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
	log := g.stderr.String()
	person := g.box.Ledger().Transactions()[0]
	for _, secret := range []string{
		"panic", "DATA RACE", "goroutine ", canary, echo, g.token, strings.Split(g.token, ".")[1], person.PixKey, person.EndToEnd,
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
