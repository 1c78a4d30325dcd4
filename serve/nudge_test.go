package serve_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/upstream/live"
)

const nudgeSecret = "a-secret-of-the-dispatcher"

// slowReads makes reads so rare that only hints cause them.
func slowReads(o *options) { o.Serve.Live.Interval, o.Serve.NudgeSecret = time.Hour, nudgeSecret }

// nudge posts a webhook and returns the status.
func (g *gateway) nudge(method, secret, body string) int {
	g.T.Helper()
	resp, err := g.HTTP.Do(g.request(method, "/nudge/"+secret, body))
	must(g.T, err)
	must(g.T, resp.Body.Close())
	return resp.StatusCode
}

// watchStatus begins a stream of an open transaction, which has its first event. Its calls are not counted.
func (g *gateway) watchStatus(t testing.TB) (id string, s *stream) {
	t.Helper()
	id = g.Box.Samples().OpenTransaction
	s = g.watchRecord(t, g.Token, id)
	g.Box.ResetCalls()
	return id, s
}

// TestNudge: a webhook of any format makes the gateway read the records that it names, if a stream watches them.
func TestNudge(t *testing.T) {
	for name, body := range map[string]string{
		"JSON":                `{"event":"paid","data":{"id":"$ID"}}`,
		"upper case":          `{"transactionId":"$UPPER"}`,
		"a form":              `event=paid&transaction=$ID&x=-----`,
		"JSON that is cut":    `{"id": "$ID", "note": "`,
		"escapes":             `{"note":"\"id\":\\", "id" : "$ID"}`,
		"not JSON":            "\x00\xff\"$ID",
		"an id among many":    `[` + strings.Repeat(`{"id":"x"},`, 3000) + `{"id":"$ID"}]`,
		"the end of the part": strings.Repeat("-", 64<<10-len(" 00000000-0000-4000-8000-000000000000")) + " $ID" + strings.Repeat("-", 1<<10),
	} {
		bubble(t, name, func(t *testing.T) {
			g := start(t, small, slowReads)
			id, s := g.watchStatus(t)
			g.Box.Ledger().Step()
			body := strings.NewReplacer("$ID", id, "$UPPER", strings.ToUpper(id)).Replace(body)
			if status := g.nudge(http.MethodPost, nudgeSecret, body); status != http.StatusNoContent {
				t.Fatalf("status %d", status)
			}
			s.want(live.Changed)
			g.WantCalls(1, g.Token)
		})
	}
}

// TestNudgeDuringQuery: the read that a webhook causes does not wait for an older query of the record, whose response
// may have the state before the change.
func TestNudgeDuringQuery(t *testing.T) {
	runWith(t, with(small, slowReads), func(t *testing.T, g *gateway) {
		id, s := g.watchStatus(t)
		g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, ID: id, Times: 1, Latency: 5 * time.Second})
		go g.Query(`query($id: ID!) { transaction(id: $id) { status } }`, variables{"id": id})
		g.AwaitCalls(1)
		g.Box.Ledger().Step()
		began := time.Now()
		g.nudge(http.MethodPost, nudgeSecret, `{"id":"`+id+`"}`)
		s.want(live.Changed)
		if took := time.Since(began); took > time.Second {
			t.Errorf("the event came %s after the webhook", took)
		}
		g.WantCalls(2, g.Token)
		time.Sleep(5 * time.Second) // the query ends
	})
}

// TestNudgeOfNotification: ids of notifications have no documented format, so the strings at members that may be ids
// count.
func TestNudgeOfNotification(t *testing.T) {
	runWith(t, slowReads, func(t *testing.T, g *gateway) {
		id := g.Box.Ledger().Notifications()[0].ID
		s := g.subscribe(t, g.Token, `subscription($id: ID!) { notification(id: $id) { status } }`, variables{"id": id})
		s.want(live.Snapshot)
		g.Box.ResetCalls()
		if status := g.nudge(http.MethodPost, nudgeSecret, `{"webhook":{"notificationId":"`+id+`"}}`); status != http.StatusNoContent {
			t.Fatalf("status %d", status)
		}
		g.AwaitCalls(1)
		g.WantCalls(1, g.Token)
	})
}

// TestNudgeIsRejected: without the secret there is no such path, and nothing is read. The secret is not logged.
func TestNudgeIsRejected(t *testing.T) {
	runWith(t, slowReads, func(t *testing.T, g *gateway) {
		id, _ := g.watchStatus(t)
		without := start(t)
		for _, path := range []string{"", nudgeSecret + "x", nudgeSecret[1:], nudgeSecret + "/", "x/" + nudgeSecret, strings.ToUpper(nudgeSecret)} {
			if status := g.nudge(http.MethodPost, path, `{"id":"`+id+`"}`); status != http.StatusNotFound {
				t.Errorf("%q: status %d", path, status)
			}
		}
		if status := g.nudge(http.MethodGet, nudgeSecret, ""); status != http.StatusNotFound {
			t.Errorf("GET: status %d", status)
		}
		if status := without.nudge(http.MethodPost, nudgeSecret, ""); status != http.StatusNotFound {
			t.Errorf("without the setting: status %d", status)
		}
		if status := g.nudge(http.MethodPost, nudgeSecret, `{"id":"another"}`); status != http.StatusNoContent {
			t.Errorf("status %d", status)
		}
		g.WantNoCalls()
		if strings.Contains(g.Log.String(), nudgeSecret) {
			t.Error("the secret is in the log")
		}
	})
}

// TestNudgesAreBounded: a record is read at most once in a quarter of a second, however many webhooks name it, and
// hostile bodies are read in linear time.
func TestNudgesAreBounded(t *testing.T) {
	runWith(t, slowReads, func(t *testing.T, g *gateway) {
		id, _ := g.watchStatus(t)
		for range 200 {
			g.nudge(http.MethodPost, nudgeSecret, `{"id":"`+id+`"}`)
		}
		<-time.After(time.Minute)
		if calls := len(g.Calls()); calls < 1 || calls > 2 {
			t.Errorf("%d calls, want one, and one of those that came during it", calls)
		}
		for _, body := range []string{
			strings.Repeat("-", 1<<20), strings.Repeat(`"`, 1<<20), strings.Repeat(`"id":`, 1<<17), strings.Repeat(`\`, 1<<20),
			strings.Repeat(`"id"`+strings.Repeat(" ", 200), 1<<12), string(bytes.Repeat([]byte{0}, 1<<20)),
		} {
			if status := g.nudge(http.MethodPost, nudgeSecret, body); status != http.StatusNoContent {
				t.Errorf("status %d", status)
			}
		}
	})
}

// TestQueriesNudge: a query that reads a newer record wakes the streams of that record, which read with their own
// tokens.
func TestQueriesNudge(t *testing.T) {
	runWith(t, slowReads, func(t *testing.T, g *gateway) {
		id, s := g.watchStatus(t)
		query := func() { g.Query(`query($id: ID!) { transaction(id: $id) { status } }`, variables{"id": id}).WantOK() }
		g.Box.ResetCalls()
		query()
		g.WantCalls(1, g.Token) // nothing is newer
		g.Box.Ledger().Step()
		query()
		s.want(live.Changed)
		g.AwaitCalls(3)
		g.WantCalls(3, g.Token)
	})
}

// TestWebhooksOfTheSandbox: a payment changes now, and the sandbox's webhook wakes its stream.
func TestWebhooksOfTheSandbox(t *testing.T) {
	runWith(t, slowReads, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		control := func(path, body string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.Box.URL()+path, strings.NewReader(body))
			must(t, err)
			resp, err := g.HTTP.Do(req)
			must(t, err)
			must(t, resp.Body.Close())
			if resp.StatusCode != http.StatusNoContent {
				t.Fatalf("%s: status %d", path, resp.StatusCode)
			}
		}
		control("/webhooks", `{"url":"`+g.URL+"/nudge/"+nudgeSecret+`"}`)
		waiting := g.waiting(1, g.Token, awaitPaid, variables{"id": id, "until": []string{"REFUNDED"}})
		g.await("a read", func() bool { return g.Handler.Live().Reads > 0 })
		g.wantSoon(func() {
			control("/records/"+id+"?status=PAID", "")
			control("/records/"+id+"?status=REFUNDED", "")
			if a := (<-waiting).WantOK(); a.Text("payment", "status") != "REFUNDED" {
				t.Errorf("%s", a.Body)
			}
		})
		calls := strings.Join(g.Calls(), " ")
		if strings.Contains(calls, nudgeSecret) || strings.Contains(g.Log.String(), nudgeSecret) {
			t.Error("the secret is recorded")
		}
	})
}
