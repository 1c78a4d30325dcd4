package hostile

import (
	"net/http"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
)

// gateway is a process before a sandbox of its own, and a caller with full access.
type gateway struct {
	*process
	box    *sandbox.Sandbox
	client *http.Client
	token  string
	words  *strings.Replacer // what stands for what in a request, see newGateway
}

// newGateway starts a sandbox and a gateway before it that verifies its tokens.
func newGateway(t *testing.T, binary string, flags ...string) *gateway {
	t.Helper()
	box := newSandbox(t)
	return before(t, binary, box, append(verifying(box), flags...)...)
}

// verifying are the flags of a gateway that verifies the tokens of a sandbox and pages its lists.
func verifying(box *sandbox.Sandbox) []string {
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

// before starts a gateway with the race detector before a sandbox.
func before(t *testing.T, binary string, box *sandbox.Sandbox, flags ...string) *gateway {
	t.Helper()
	return over(t, box, launch(t, binary, watched(), append(toward(box), flags...)...))
}

// toward are the flags of a gateway before a sandbox.
func toward(box *sandbox.Sandbox) []string {
	return []string{"--core-url=" + box.CoreURL(), "--dispatcher-url=" + box.DispatcherURL(), "--shutdown-delay=0s"}
}

// over is the gateway of a process before a sandbox. In what is sent to it, <token> stands for a good token, <host> for its
// address, and <transaction>, <withdrawal> and <notification> for ids of records.
func over(t *testing.T, box *sandbox.Sandbox, p *process) *gateway {
	t.Helper()
	g := &gateway{process: p, box: box, token: box.Token()}
	// A body that waits to be asked for (Expect: 100-continue) waits for the answer, however busy the machine is.
	transport := &http.Transport{DisableCompression: true, ExpectContinueTimeout: patience}
	t.Cleanup(transport.CloseIdleConnections)
	g.client = &http.Client{
		Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	g.words = strings.NewReplacer(
		"<token>", g.token, "<host>", g.address,
		"<transaction>", box.Ledger().Transactions()[0].ID,
		"<withdrawal>", box.Ledger().Withdrawals()[0].ID,
		"<notification>", box.Ledger().Notifications()[0].ID,
	)
	return g
}

// calls is how many calls the sandbox has got so far.
func (g *gateway) calls() int {
	counters := g.box.Counters()
	return counters.Core + counters.Dispatcher
}

// alive fails the test unless a normal query is still answered.
func (g *gateway) alive(t *testing.T) {
	t.Helper()
	g.check(t, row{name: "alive", send: post(good), status: 200, has: []string{`{"data":{"deposits":{"totalCount":50}}}`}})
}

// secrets are what no answer may hold.
func (g *gateway) secrets() []string {
	list := []string{canary, g.token, strings.Split(g.token, ".")[1], strings.Split(g.token, ".")[2]}
	for _, url := range []string{g.box.CoreURL(), g.box.DispatcherURL(), g.box.IssuerURL()} {
		list = append(list, strings.Split(url, "/")[2])
	}
	return list
}

// wantQuiet fails the test when the log of the process holds what it must not.
func (g *gateway) wantQuiet(t *testing.T) {
	t.Helper()
	log := g.stderr.String()
	person := g.box.Ledger().Transactions()[0]
	for _, secret := range []string{
		"panic", "DATA RACE", "goroutine ", canary, echo, g.token, strings.Split(g.token, ".")[1], person.PixKey, person.EndToEnd,
	} {
		if secret != "" && strings.Contains(log, secret) {
			t.Errorf("the log holds %q: %s", secret, around(log, secret))
		}
	}
}

// around is a text near a word of it.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(at-200, 0):min(at+200+len(word), len(text))]
}
