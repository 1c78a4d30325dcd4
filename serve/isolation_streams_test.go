package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// streamingCaller is a caller whose records name it.
type streamingCaller struct {
	token, mark  string
	record, list watched
	await        <-chan response
}

// TestStreamsAreIsolated: callers that watch the same record and the same list, with the same document and variables,
// get their own data over every protocol, while records change, webhooks arrive and some callers lose their right. The
// APIs return records that name the caller.
func TestStreamsAreIsolated(t *testing.T) {
	runWith(t, with(quick, func(o *options) { o.Serve.NudgeSecret = nudgeSecret }), func(t *testing.T, g *gateway) {
		const losing = 3 // callers that lose their right, one over each protocol
		id := g.Box.Samples().OpenTransaction
		callers := make([]*streamingCaller, 4*losing)
		for i := range callers {
			c := &streamingCaller{token: g.Box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint("caller-", i)}), mark: fmt.Sprintf("caller-%d:", i)}
			callers[i] = c
			g.Box.Inject(sandbox.Fault{Token: c.token, Mutate: func(body []byte) []byte {
				return []byte(strings.ReplaceAll(string(body), `"acquirer":"`, `"acquirer":"`+c.mark))
			}})
			over := protocol(i % 3)
			c.record = g.watch(t, over, c.token, `subscription($id: ID!) { transaction(id: $id) { status acquirer } }`, variables{"id": id})
			c.list = g.watch(t, over, c.token, `subscription { deposits(perPage: 20) { nodes { status acquirer } } }`, nil)
			awaited := make(chan response, 1)
			c.await = awaited
			go func() {
				awaited <- g.QueryAs(c.token, `query($id: ID!) { awaitTransaction(id: $id, until: [PAID], timeoutSeconds: 50) { acquirer } }`, variables{"id": id})
			}()
		}
		g.awaitStreams(3 * len(callers))
		want := func(callers []*streamingCaller, reason live.Reason) {
			t.Helper()
			for _, c := range callers {
				for _, stream := range []watched{c.record, c.list} {
					if event := string(stream.next()); !strings.Contains(event, `"reason":"`+string(reason)+`"`) {
						t.Fatalf("%s got %s, want %s", c.mark, event, reason)
					}
				}
			}
		}
		want(callers, live.Snapshot)
		for i, c := range callers[:losing] {
			status := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}[i]
			defer g.Box.Inject(sandbox.Fault{Token: c.token, Status: status, Body: []byte(`{"acquirer":"caller-99:"}`)})()
		}
		for _, c := range callers[:losing] {
			if event := string(c.record.next()); !strings.Contains(event, `"reason":"FAILED"`) {
				t.Errorf("%s got %s", c.mark, event)
			}
			if answer := <-c.await; len(answer.Errors) != 1 {
				t.Errorf("%s got %s", c.mark, answer.Body)
			}
			c.list.close()
		}
		rest := callers[losing:]
		g.awaitStreams(3 * len(rest))
		g.awaitStats("end of the reads on their way", func(s client.ServiceStats) bool { return s.InFlight == 0 && s.Waiting == 0 })
		g.Box.ResetCalls()
		for status := ""; status != "PAID"; {
			g.Box.Ledger().Step()
			g.nudge(http.MethodPost, nudgeSecret, id)
			want(rest, live.Changed)
			status = g.Query(`query($id: ID!) { transaction(id: $id) { status } }`, variables{"id": id}).Text("transaction", "status")
		}
		for _, c := range rest {
			if answer := <-c.await; answer.WantOK().Text("awaitTransaction", "acquirer") == "" || strings.Count(string(answer.Body), c.mark) != 1 {
				t.Errorf("%s got %s", c.mark, answer.Body)
			}
		}
		allowed := map[string]bool{"Bearer " + g.Token: true}
		for _, c := range rest {
			allowed["Bearer "+c.token] = true
		}
		for _, call := range g.Box.Calls() {
			if !allowed[call.Header.Get("Authorization")] {
				t.Error("a read with the token of a caller that lost its right")
			}
		}
		for _, c := range callers {
			c.record.close()
			c.list.close()
		}
		g.awaitStreams(0)
		wantOwnData(t, g, callers)
	})
}

// wantOwnData searches every byte that callers have received, and the log.
func wantOwnData(t testing.TB, g *gateway, callers []*streamingCaller) {
	t.Helper()
	log := g.Log.String()
	if strings.Contains(log, "caller-") || strings.Contains(log, nudgeSecret) {
		t.Errorf("the log has data of a caller: %s", log)
	}
	for _, c := range callers {
		for _, stream := range []watched{c.record, c.list} {
			text := stream.received.String()
			if own := strings.Count(text, c.mark); own == 0 || own != strings.Count(text, "caller-") {
				t.Errorf("%s received %s", c.mark, text)
			}
			for _, other := range callers {
				if strings.Contains(text, other.token) || strings.Contains(log, other.token) {
					t.Errorf("%s received a token, or the log has it", c.mark)
				}
			}
		}
	}
}
